"""`penstock pipeline run NAME ...`: one file a pipeline, its options made into the job's, the rest shared."""

from penstock.cli.program import LazyGroup

# A row is added with its job: "lake": ("penstock.cli.pipeline.lake:lake", "Topics to Iceberg tables, exactly once.")
_JOBS: dict[str, tuple[str, str]] = {}

run = LazyGroup(
    "run",
    help="Run a pipeline. --dry-run explains what it would do; Ctrl-C ends it cleanly, the next start continues.",
    commands_at=_JOBS,
)
