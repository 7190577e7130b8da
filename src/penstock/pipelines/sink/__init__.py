"""Exactly once into topics: docs/adr/0029-exactly-once-into-topics.md."""

from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.sink import Sink
from penstock.pipelines.sink.streams import write_batch, write_stream
from penstock.pipelines.sink.work import Written

__all__ = ["Sink", "SinkOptions", "Written", "write_batch", "write_stream"]
