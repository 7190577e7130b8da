"""Spark jobs over topics, of Penstock or any Kafka cluster: source, sink, and the pipelines people run.

    from penstock.pipelines import spark_session
    spark = spark_session("look")
    spark.read.format("penstock").option("bootstrap", "127.0.0.1:9092").option("topics", "orders").load().show()

Comes with the extra `penstock-mq[spark]`. Names are looked up when first used: nothing here loads PySpark on import.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.pipelines.datasource import register
    from penstock.pipelines.jobs.audit import AuditOptions, audit
    from penstock.pipelines.jobs.dedupe import DedupeOptions, dedupe
    from penstock.pipelines.jobs.lake import LakeOptions, lake
    from penstock.pipelines.jobs.redrive import redrive
    from penstock.pipelines.jobs.repartition import repartition
    from penstock.pipelines.jobs.replay import replay
    from penstock.pipelines.jobs.rollup import RollupOptions, rollup
    from penstock.pipelines.problems import PipelineProblem
    from penstock.pipelines.running import BatchProgress, Plan, Summary, Watcher
    from penstock.pipelines.session import spark_session
    from penstock.pipelines.sink import write_batch, write_stream

_HOMES = {
    "AuditOptions": "jobs.audit",
    "BatchProgress": "running",
    "DedupeOptions": "jobs.dedupe",
    "LakeOptions": "jobs.lake",
    "PipelineProblem": "problems",
    "Plan": "running",
    "RollupOptions": "jobs.rollup",
    "Summary": "running",
    "Watcher": "running",
    "audit": "jobs.audit",
    "dedupe": "jobs.dedupe",
    "lake": "jobs.lake",
    "redrive": "jobs.redrive",
    "register": "datasource",
    "repartition": "jobs.repartition",
    "replay": "jobs.replay",
    "rollup": "jobs.rollup",
    "spark_session": "session",
    "write_batch": "sink",
    "write_stream": "sink",
}

__all__ = [
    "AuditOptions",
    "BatchProgress",
    "DedupeOptions",
    "LakeOptions",
    "PipelineProblem",
    "Plan",
    "RollupOptions",
    "Summary",
    "Watcher",
    "audit",
    "dedupe",
    "lake",
    "redrive",
    "register",
    "repartition",
    "replay",
    "rollup",
    "spark_session",
    "write_batch",
    "write_stream",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
