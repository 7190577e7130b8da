"""The topic that a job fills beside its table."""

from __future__ import annotations

from penstock.pipelines.jobs.options import FillingOptions
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.topics import Topics


def sink_options(options: FillingOptions, topic: str) -> SinkOptions:
    return SinkOptions(options.bootstrap, (topic,), kafka=options.client)


def check_target(options: FillingOptions, topic: str | None, *, hasty: bool = False) -> None:
    """One that is not there is told before the table has anything."""
    if topic is not None:
        chosen = sink_options(options, topic)
        Topics(chosen.hasty(options.answer_s) if hasty else chosen).layout([topic])
