"""Reads spans of partitions with assigned offsets: no group, nothing committed, nothing left behind in the cluster."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure
from penstock.cli.librdkafka import Consumer, KafkaError, Message, TopicPartition, failure
from penstock.cli.positions import Span
from penstock.cli.records import PrintedRecord
from penstock.cli.remaining import Remaining

POLL_S = 0.25
DRAIN_MAX = 1_000
_TIMESTAMP_TYPES = {1: "create", 2: "append"}


@dataclass(frozen=True)
class TopicReader:
    consumer: Consumer
    cluster: Cluster
    topic: str

    def read(self, spans: dict[int, Span], *, follow: bool) -> Iterator[list[PrintedRecord]]:
        """Records in the order they arrive, some at a time; ends at the spans' ends unless it shall follow.

        An empty list means that nothing came for a moment, so that the caller can flush.
        """
        remaining = Remaining({index: span.end for index, span in spans.items() if span.start < span.end})
        if not remaining and not follow:
            return
        self.consumer.assign([TopicPartition(self.topic, index, span.start) for index, span in spans.items()])
        progressed = time.monotonic()
        while follow or remaining:
            messages = poll(self.consumer)
            records = []
            for message in messages:
                error = message.error()
                if error is not None:
                    if error.code() != KafkaError._PARTITION_EOF:
                        raise failure(error, self.cluster, doing=f"read {self.topic}")
                    remaining.reached(message.partition() or 0, message.offset() or 0)
                    continue
                record = printed_record(message)
                if follow or record.offset < spans[record.partition].end:
                    records.append(record)
                remaining.reached(record.partition, record.offset + 1)
            yield records
            now = time.monotonic()
            if messages:
                progressed = now
            elif not follow and now - progressed > self.cluster.timeout_s:
                raise self._nothing_comes(remaining)

    def _nothing_comes(self, remaining: Remaining) -> Failure:
        return Failure(
            f"could not read {self.topic} to its end: nothing came from {remaining.names(self.topic)} for "
            f"{self.cluster.timeout_s:g} s",
            hint=self.cluster.address_advice()
            or "The leader is there but does not hand out the records; its log may be offline. The broker's own log\n"
            "tells why, and so does its /health page. --timeout SECONDS waits longer.",
        )

    def read_last(self, spans: dict[int, Span], *, count: int) -> list[PrintedRecord]:
        """The last records over all partitions, by time. Goes further back where gaps hid some of them.

        Compaction and transaction markers leave offsets without a record, so `count` offsets may hold fewer records.
        """
        if count == 0:
            return []
        reach = count
        while True:
            tails: dict[int, deque[PrintedRecord]] = {index: deque(maxlen=count) for index in spans}
            windows = {i: Span(s.begin, max(s.begin, s.end - reach), s.end) for i, s in spans.items()}
            for records in self.read(windows, follow=False):
                for record in records:
                    tails[record.partition].append(record)
            found = [record for tail in tails.values() for record in tail]
            exhausted = all(window.start == window.begin for window in windows.values())
            enough = all(len(tail) >= count or windows[i].start == windows[i].begin for i, tail in tails.items())
            if enough or exhausted:
                found.sort(key=lambda record: (record.timestamp_ms or 0, record.partition, record.offset))
                return found[-count:]
            reach *= 4


def poll(consumer: Consumer) -> list[Message]:
    """What is there now, else what comes first within a moment. consume() alone would wait to fill its batch."""
    ready = list(consumer.consume(DRAIN_MAX, timeout=0))
    if ready:
        return ready
    first = consumer.poll(POLL_S)
    return [] if first is None else [first]


def printed_record(message: Message) -> PrintedRecord:
    kind, timestamp_ms = message.timestamp()
    known = kind in _TIMESTAMP_TYPES
    return PrintedRecord(
        topic=message.topic() or "",
        partition=message.partition() or 0,
        offset=message.offset() or 0,
        timestamp_ms=timestamp_ms if known else None,
        timestamp_type=_TIMESTAMP_TYPES.get(kind),
        key=message.key(),
        value=message.value(),
        headers=_headers(message),
    )


def _headers(message: Message) -> tuple[tuple[str, bytes | None], ...]:
    # The library's types also allow what it takes when producing; reading gives a list of bytes.
    headers = message.headers() or []
    pairs = headers.items() if isinstance(headers, dict) else headers
    return tuple((name, value.encode() if isinstance(value, str) else value) for name, value in pairs)
