"""Looking up what is in the markers' topic, past transactions that others have open there.

A reader of committed records gets no further than the first open transaction of anybody, so it would wait for writers
that have nothing to do with its question. The log is therefore read as it is; only what is found of the key in question
is then asked again as a reader of committed records: is it there, or was it aborted?
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.transient_errors import passes

_POLL_S = 0.5
_FETCHED_AT_ONCE = 500


class MarkerReader:
    """One partition of the markers' topic. Reads on from where it was at the last question."""

    def __init__(self, options: SinkOptions, *, partition: int, since: int = OFFSET_BEGINNING) -> None:
        self._options = options
        self._partition = partition
        self._consumer = Consumer(options.consumer(isolation="read_uncommitted"))
        self._seen: dict[bytes, list[int]] = {}
        self._next = self._first(since)
        self._consumer.assign([TopicPartition(options.markers, partition, self._next)])

    def close(self) -> None:
        self._consumer.close()

    def find(self, key: bytes) -> tuple[int, bytes] | None:
        """The last committed record of the key that is in the log now, with its offset; None if there is none."""
        self._read_to_end()
        offsets = self._seen.get(key)
        if not offsets:
            return None
        return self._committed(key, offsets)

    def end(self) -> int:
        return self._ends()[1]

    def _first(self, since: int) -> int:
        low, high = self._ends()
        return low if since == OFFSET_BEGINNING else min(max(since, low), high)

    def _ends(self) -> tuple[int, int]:
        """First offset and high watermark, waiting for a broker that is away."""
        partition = TopicPartition(self._options.markers, self._partition)
        deadline = time.monotonic() + self._options.patience_s
        while True:
            try:
                low, high = self._consumer.get_watermark_offsets(partition, timeout=10.0, cached=False)
            except KafkaException as error:
                if not _is_passing(error.args[0]) or time.monotonic() > deadline:
                    raise _unreadable(self._options, error) from error
                time.sleep(_POLL_S)
            else:
                return int(low), int(high)

    def _read_to_end(self) -> None:
        _, end = self._ends()
        deadline = time.monotonic() + self._options.patience_s
        while self._next < end:
            for reached, key, _ in _polled(self._consumer, self._options):
                self._next = max(self._next, reached)
                if key is not None:
                    self._seen.setdefault(key, []).append(reached - 1)
            if time.monotonic() > deadline:
                raise PipelineProblem(f"could not read {self._options.markers} to its end: it stays at {self._next}")

    def _committed(self, key: bytes, offsets: list[int]) -> tuple[int, bytes] | None:
        """Of records with this key at these offsets, the last that was committed."""
        found: tuple[int, bytes] | None = None
        position = offsets[0]
        deadline = time.monotonic() + self._options.patience_s
        consumer = Consumer(self._options.consumer(isolation="read_committed"))
        try:
            consumer.assign([TopicPartition(self._options.markers, self._partition, position)])
            while position <= offsets[-1]:
                for reached, name, value in _polled(consumer, self._options):
                    position = max(position, reached)
                    if name == key and value is not None:
                        found = (reached - 1, value)
                if time.monotonic() > deadline:
                    raise PipelineProblem(
                        f"a transaction at offset {position} of {self._options.markers} stays open",
                        hint="See whose it is with: penstock txn list; it is aborted when its timeout is over.",
                    )
        finally:
            consumer.close()
        return found


def _polled(consumer: Consumer, options: SinkOptions) -> Iterator[tuple[int, bytes | None, bytes | None]]:
    """Up to where the log is read now, and the record before that; at the end for now there is none."""
    first = consumer.poll(_POLL_S)
    if first is None:
        return
    # Waiting for many at once would wait for the full time, as there are few.
    for message in (first, *consumer.consume(_FETCHED_AT_ONCE, timeout=0)):
        error, at = message.error(), message.offset() or 0
        if error is None:
            yield at + 1, message.key(), message.value()
        elif error.code() == KafkaError._PARTITION_EOF:
            yield at, None, None
        elif not _is_passing(error):
            raise _unreadable(options, error)


def _is_passing(error: KafkaError) -> bool:
    """A partition that the client does not know yet is one that it has not asked for so far."""
    return passes(error) or error.code() == KafkaError._UNKNOWN_PARTITION


def _unreadable(options: SinkOptions, error: Any) -> PipelineProblem:
    return PipelineProblem(
        f"could not read {options.markers} at {options.bootstrap}: {error}",
        hint="It holds what this sink has written; deleting it, or records of it, takes that knowledge away.",
    )
