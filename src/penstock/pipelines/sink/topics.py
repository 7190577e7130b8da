"""Topics as they are now: ids, numbers of partitions, record sizes; and the markers' topic made when missing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from penstock.pipelines.admin import Admin
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.sink.layout import Layout, TopicShape
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.records import MARKER_PARTITIONS
from penstock.pipelines.transient_errors import patiently

_ANSWER_S = 15.0
_PAUSE_S = 0.5
_BATCH_BYTES = 1_000_000
Answer = TypeVar("Answer")


class Topics:
    """Asks the cluster, and waits for one that is away as long as the options allow."""

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._admin = Admin(options.client(), answer_s=_ANSWER_S)

    def layout(self, names: Iterable[str]) -> Layout:
        return Layout.of(shape for shape in map(self._shape, sorted(set(names))))

    def _shape(self, name: str) -> TopicShape:
        shape = self.find(name)
        if shape is None:
            raise PipelineProblem(
                f"topic {name} does not exist at {self._options.bootstrap}",
                hint=f"Create it first, with as many partitions as wanted: penstock topic create {name} --partitions 6",
                kind=Kind.MISSING,
            )
        return shape

    def find(self, name: str) -> TopicShape | None:
        facts = self._patiently(lambda: self._admin.topics([name])[name])
        return None if facts is None else TopicShape(name, facts.topic_id, facts.partitions)

    def made_anew(self, layout: Layout) -> list[str]:
        """Of a layout's topics, those that are others by now, under the same names."""
        now = {shape.name: shape.topic_id for shape in self.layout(shape.name for shape in layout.topics).topics}
        return [shape.name for shape in layout.topics if now[shape.name] != shape.topic_id]

    def check_are_the_same(self, layout: Layout) -> None:
        """A producer that meets a deleted topic has it made anew, where brokers do that (auto.create.topics.enable)."""
        changed = self.made_anew(layout)
        if changed:
            raise PipelineProblem(
                f"{', '.join(changed)} was deleted and made anew while a batch was written to it",
                hint="What was written before is gone with it. Started again, the query writes the whole batch to the\n"
                "new topic, of which some rows may be there already.",
            )

    def batch_bytes_max(self, names: Iterable[str]) -> int:
        """No batch of several records may be larger than the topic that takes least allows."""
        wanted = list(names)
        return min(_BATCH_BYTES, *self._patiently(lambda: self._admin.number(wanted, "max.message.bytes")))

    def settings(self, name: str) -> dict[str, str]:
        """What was set for this very topic, as for making another like it."""
        return self._patiently(lambda: self._admin.own_settings(name))

    def create(self, name: str, *, partitions: int, config: dict[str, str]) -> None:
        """Create a topic unless it is there; waits until it is seen."""

        self._patiently(lambda: self._admin.create(name, partitions=partitions, config=config))
        deadline = time.monotonic() + self._options.patience_s
        while self.find(name) is None and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)

    def ensure_markers(self) -> None:
        name = self._options.markers
        shape = self.find(name)
        if shape is None:
            self.create(name, partitions=MARKER_PARTITIONS, config=MARKERS_CONFIG)
            shape = self.find(name)
        if shape is None or shape.partitions < MARKER_PARTITIONS:
            raise PipelineProblem(f"{name} has to be a compacted topic of {MARKER_PARTITIONS} partitions or more")

    def _patiently(self, ask: Callable[[], Answer]) -> Answer:
        options, hint = self._options, "Is a broker running there?"
        return patiently(ask, bootstrap=options.bootstrap, wait_s=options.patience_s, hint=hint)


# Small segments that close soon, so that compaction keeps the topic as small as what is in use: a query that starts
# reads its partition from the beginning.
MARKERS_CONFIG = {
    "cleanup.policy": "compact",
    "segment.bytes": str(16 << 20),
    "segment.ms": str(3_600_000),
    "min.cleanable.dirty.ratio": "0.1",
}
