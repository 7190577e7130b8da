"""What a task is given to do, and what it says it did."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.pipelines.sink.layout import Layout
from penstock.pipelines.sink.options import SinkOptions


@dataclass(frozen=True, slots=True)
class Work:
    options: SinkOptions
    query: str
    batch: int
    layout: Layout
    since: int
    tasks: int
    batch_bytes_max: int


@dataclass(frozen=True, slots=True)
class Outcome:
    slot: int
    rows: int
    written: bool
    """Whether by this attempt; else they were there."""


@dataclass(frozen=True, slots=True)
class Written:
    rows: int
    """Rows of the batch, all of which are in their targets now."""
    rows_before: int
    """How many of them an earlier attempt had written."""
