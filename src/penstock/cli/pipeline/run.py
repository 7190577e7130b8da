"""`penstock pipeline run NAME ...`: one file a pipeline, its options made into the job's, the rest shared."""

from penstock.cli.program import LazyGroup

_JOBS: dict[str, tuple[str, str]] = {
    "audit": ("penstock.cli.pipeline.audit:audit", "Compare two ends: missing, doubled, differing, reordered records."),
    "dedupe": ("penstock.cli.pipeline.dedupe:dedupe", "A topic without its duplicates, as a table."),
    "lake": ("penstock.cli.pipeline.lake:lake", "Topics to Iceberg tables, each record once."),
    "redrive": ("penstock.cli.pipeline.redrive:redrive", "Dead letters looked at, mended, sent back, each once."),
    "repartition": (
        "penstock.cli.pipeline.repartition:repartition",
        "A topic's history into another number of partitions, or by another key.",
    ),
    "replay": ("penstock.cli.pipeline.replay:replay", "Records of a time range written again, from topic or lake."),
    "rollup": ("penstock.cli.pipeline.rollup:rollup", "Windowed counts, sums, quantiles and distincts by key."),
}

run = LazyGroup(
    "run",
    help="Run a pipeline. --dry-run explains what it would do; Ctrl-C ends it cleanly, the next start continues.",
    commands_at=_JOBS,
)
