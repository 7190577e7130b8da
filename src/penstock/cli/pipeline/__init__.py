"""`penstock pipeline ...`: one file a command. They load PySpark only when a job really starts."""

from penstock.cli.program import LazyGroup

pipeline = LazyGroup(
    "pipeline",
    help="Spark jobs over topics: into the lake and back, re-partitioned, replayed, audited (penstock-mq[spark]).",
    commands_at={
        "setup": ("penstock.cli.pipeline.setup:setup", "Fetch the jars that jobs give to Spark, once."),
        "run": ("penstock.cli.pipeline.run:run", "Run a pipeline."),
        "init": ("penstock.cli.pipeline.init:init", "Write a project for Spark's Declarative Pipelines."),
    },
)

__all__ = ["pipeline"]
