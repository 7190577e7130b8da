"""One target partition's share of a batch: in one transaction with its marker, or not at all.

    init      shuts out every other attempt, and ends what it has open
    look      the marker is there: another attempt has written this share, so there is nothing to do
    rows      sent within the transaction
    commit    rows and marker become visible together, or never

A commit that succeeds proves that nobody has called init since this attempt did, so nobody has committed after the
look. One that is shut out in the middle waits for what becomes of the other attempt, as long as it can still succeed.
"""

from __future__ import annotations

import time

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.ledger import home_of
from penstock.pipelines.sink.markers import MarkerReader
from penstock.pipelines.sink.records import Marker, marker_key
from penstock.pipelines.sink.transactions import Fenced, TransactionalProducer
from penstock.pipelines.sink.work import Outcome, Work

_LOOK_EVERY_S = 0.5
_OTHER_ATTEMPT_S = 60.0
Headers = list[tuple[str, bytes | None]]


class TargetWriter:
    """Use as: send all rows, then `finish`; or `abandon`."""

    def __init__(self, work: Work, slot: int, markers: MarkerReader) -> None:
        self._work = work
        self._slot = slot
        self._target = work.layout.targets[slot]
        self._key = marker_key(work.query, self._target)
        self._markers = markers
        self._rows = 0
        self._fenced = False
        self._producer = TransactionalProducer(
            work.options, f"penstock-sink/{work.query}/{self._target}", batch_bytes_max=work.batch_bytes_max
        )
        self._there_before = self._is_marked()
        if not self._there_before:
            self._producer.begin()

    def send(self, key: bytes | None, value: bytes | None, timestamp_ms: int | None, headers: Headers | None) -> None:
        self._rows += 1
        if self._there_before or self._fenced:
            return
        try:
            self._producer.send(
                self._target.topic,
                self._target.partition,
                key=key,
                value=value,
                timestamp_ms=timestamp_ms,
                headers=headers,
            )
        except Fenced:
            self._fenced = True

    def check(self) -> None:
        """Now and then: let a record that was refused end the attempt before all the others are sent."""
        if not (self._there_before or self._fenced):
            try:
                self._producer.check()
            except Fenced:
                self._fenced = True

    def finish(self) -> Outcome:
        if not (self._there_before or self._fenced):
            try:
                self._commit()
            except Fenced:
                self._fenced = True
        self._producer.close()
        if self._fenced:
            self._wait_for_the_other()
        return Outcome(self._slot, self._rows, written=not (self._there_before or self._fenced))

    def abandon(self) -> None:
        if not (self._there_before or self._fenced):
            self._producer.abort()
        self._producer.close()

    def _commit(self) -> None:
        marker = Marker(self._work.batch, self._target.topic_id, self._rows)
        # Last of all: from here on others that read this partition for committed records have to wait for us.
        self._producer.send(
            self._work.options.markers, home_of(self._work.query), key=self._key, value=marker.to_bytes()
        )
        self._producer.commit()

    def _is_marked(self) -> bool:
        found = self._markers.find(self._key)
        return found is not None and Marker.from_bytes(found[1]).tells_of(self._target, self._work.batch)

    def _wait_for_the_other(self) -> None:
        deadline = time.monotonic() + _OTHER_ATTEMPT_S
        while not self._is_marked():
            if time.monotonic() > deadline:
                raise PipelineProblem(
                    f"the transaction for {self._target} in batch {self._work.batch} was ended by another attempt, "
                    "or by its timeout, and its rows are not there",
                    hint=f"It may take {self._work.options.transaction_timeout_ms} ms: make batches smaller, or the "
                    "option transaction_timeout_ms larger.",
                )
            time.sleep(_LOOK_EVERY_S)
