"""What the sink keeps in its compacted topic: of each query the batch it is at, of each target the batch it holds.

key   ["begin", query]                     value  batch, done, since, layout, details
key   ["written", query, topic, partition] value  batch, topic_id, rows
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.pipelines.sink.layout import Layout, Target

MARKER_PARTITIONS = 8
"""Fixed, so that partitions added to the topic do not move a query's records away from where they are looked for."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A batch that may have written something: with which layout, so that running it again lays rows out alike."""

    batch: int
    layout: Layout
    since: int
    """Markers of this batch lie at this offset of the query's partition or after it."""
    done: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the job wants to know again when it is restarted: the ranges that it reads in this batch."""

    def to_bytes(self) -> bytes:
        return _packed(
            {
                "batch": self.batch,
                "done": self.done,
                "since": self.since,
                "layout": self.layout.to_json(),
                "details": self.details,
            }
        )

    @staticmethod
    def from_bytes(data: bytes) -> Begun:
        row = json.loads(data)
        return Begun(row["batch"], Layout.from_json(row["layout"]), row["since"], row["done"], row["details"])


@dataclass(frozen=True, slots=True)
class Marker:
    """In the transaction of the rows it speaks of: there if they are there, and only then."""

    batch: int
    topic_id: str
    rows: int

    def to_bytes(self) -> bytes:
        return _packed({"batch": self.batch, "topic_id": self.topic_id, "rows": self.rows})

    @staticmethod
    def from_bytes(data: bytes) -> Marker:
        row = json.loads(data)
        return Marker(row["batch"], row["topic_id"], row["rows"])

    def tells_of(self, target: Target, batch: int) -> bool:
        """Whether the rows of that batch are in the target. A later batch's marker says so of all before it; a marker
        of a topic that is gone says nothing of the one that has its name now."""
        return self.batch >= batch and self.topic_id == target.topic_id


def begin_key(query: str) -> bytes:
    return _packed(["begin", query])


def marker_key(query: str, target: Target) -> bytes:
    return _packed(["written", query, target.topic, target.partition])


def _packed(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
