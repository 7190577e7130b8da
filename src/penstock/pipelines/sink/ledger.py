"""The driver's book: which batch a query is at, and with which layout it was begun.

Written before anything of the batch is, in a transaction of the query's own id: a second driver of the same query shuts
the first one out, and finds what that one began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.layout import Layout
from penstock.pipelines.sink.markers import MarkerReader
from penstock.pipelines.sink.murmur2 import partition_of
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.records import MARKER_PARTITIONS, Begun, begin_key
from penstock.pipelines.sink.transactions import Fenced, TransactionalProducer


def home_of(query: str) -> int:
    """The partition of the markers' topic that holds all of a query's records."""
    return partition_of(query.encode(), MARKER_PARTITIONS)


class Ledger:
    def __init__(self, options: SinkOptions, query: str) -> None:
        self._options = options
        self.query = query
        self._producer = TransactionalProducer(options, f"penstock-sink/{query}")
        self._reader = MarkerReader(options, partition=home_of(query))
        found = self._reader.find(begin_key(query))
        self.last = None if found is None else Begun.from_bytes(found[1])

    def close(self) -> None:
        self._reader.close()
        self._producer.close()

    def begin(self, batch: int, now: Layout, details: Mapping[str, Any], *, unknown: bool = False) -> Begun:
        """The batch as it is to be run: as it was begun before, or written down now. `unknown` takes a batch on whose
        predecessors are not in the book, as when a query that wrote elsewhere is turned to this sink."""
        last = self.last
        if last is not None and batch < last.batch:
            raise PipelineProblem(
                f"{self.query} has written batch {last.batch} already, and now comes with batch {batch}",
                hint="Its checkpoint is older than what it has written, as after restoring one from a copy. Running\n"
                "on would write rows twice: give the query a new checkpoint, and start it where the output ends.",
            )
        if last is None and batch > 0 and not unknown:
            raise PipelineProblem(
                f"{self.query} is at batch {batch}, and {self._options.markers} knows nothing of it",
                hint="Whether parts of that batch are written cannot be told. If this sink is new to the query, or\n"
                "that topic was lost and the doubling of one batch is acceptable, say so with unknown=True.",
            )
        if last is None or batch > last.batch:
            # Nobody has written anything of this batch yet: its markers come after what is there now.
            return self._write(Begun(batch, now, since=self._reader.end(), details=details))
        layout = last.layout.kept_for(now)
        if last.done or layout == last.layout:
            return last
        return self._write(replace(last, layout=layout))

    def finish(self) -> None:
        """All of the batch is in its targets: a restart need not look at its rows again."""
        assert self.last is not None
        self.last = self._write(replace(self.last, done=True))

    def _write(self, begun: Begun) -> Begun:
        try:
            self._producer.begin()
            self._producer.send(
                self._options.markers, home_of(self.query), key=begin_key(self.query), value=begun.to_bytes()
            )
            self._producer.commit()
        except Fenced as fenced:
            raise PipelineProblem(
                f"another run of {self.query} has begun and taken over", hint="Only one may run at a time."
            ) from fenced
        self.last = begun
        return begun
