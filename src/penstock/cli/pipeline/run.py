"""`penstock pipeline run NAME ...`: one file a pipeline, its options made into the job's, the rest shared."""

from penstock.cli.program import LazyGroup

# A row is added with its job: "lake": ("penstock.cli.pipeline.lake:lake", "Topics to Iceberg tables, exactly once.")
_JOBS: dict[str, tuple[str, str]] = {
    "redrive": ("penstock.cli.pipeline.redrive:redrive", "Dead letters looked at, mended, sent back, each once."),
    "repartition": (
        "penstock.cli.pipeline.repartition:repartition",
        "A topic's history into another number of partitions, or by another key.",
    ),
    "replay": ("penstock.cli.pipeline.replay:replay", "Records of a time range written again, from topic or lake."),
}

run = LazyGroup(
    "run",
    help="Run a pipeline. --dry-run explains what it would do; Ctrl-C ends it cleanly, the next start continues.",
    commands_at=_JOBS,
)
