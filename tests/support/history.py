"""What clients did and saw during a run, and the judge of it.

Records are named by their value, `<producer>.<sequence>`: each producer counts its own. What the judge holds the run
to: every acknowledged record is where its acknowledgement says; no record is there twice; each producer's records are
in its order; nothing is there that nobody sent; consumers go on by one from record to record, and after a new
assignment leave nothing out. A record whose delivery failed may be there or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

Log = Mapping[int, Sequence["Entry"]]
"""What each partition holds in the end, in the order of offsets."""

SHOWN_MAX = 10
"""Of one kind of fault: the first tell what happened, the number tells how often."""


UNTOLD = -1
"""The offset of a record that was acknowledged as one that was there already: the client is not told where."""


class Entry(NamedTuple):
    offset: int
    value: str


class Ack(NamedTuple):
    sequence: int
    partition: int
    offset: int


class Seen(NamedTuple):
    """What a consumer got. `run` counts its assignments: within one it goes on by one from record to record."""

    partition: int
    offset: int
    value: str
    run: int = 0


@dataclass
class Producing:
    """One producer's part."""

    name: str
    sent: int = 0
    acks: list[Ack] = field(default_factory=list)
    failed: list[tuple[int, str]] = field(default_factory=list)
    """Sequence and reason of what was given up: it may be in the log or not."""

    def value(self, sequence: int) -> str:
        return f"{self.name}.{sequence}"


@dataclass
class Consuming:
    """One consumer's part."""

    name: str
    seen: list[Seen] = field(default_factory=list)


@dataclass
class History:
    producers: list[Producing] = field(default_factory=list)
    consumers: list[Consuming] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        return sum(len(producer.acks) for producer in self.producers)


def judge(history: History, log: Log) -> list[str]:
    """Everything that is wrong, in words; nothing, where all is well."""
    faults: list[str] = []
    checks = (_lost(history, log), _twice(log), _disordered(log), _invented(history, log), _holes(log))
    for check in (*checks, *(_consumed_wrongly(consumer, log) for consumer in history.consumers)):
        found = list(check)
        faults += found[:SHOWN_MAX]
        if len(found) > SHOWN_MAX:
            faults.append(f"... and {len(found) - SHOWN_MAX} more such")
    return faults


def _lost(history: History, log: Log) -> Iterator[str]:
    at = {(partition, entry.offset): entry.value for partition, entries in log.items() for entry in entries}
    values = {(partition, entry.value) for partition, entries in log.items() for entry in entries}
    for producer in history.producers:
        for ack in producer.acks:
            if ack.offset == UNTOLD:
                if (ack.partition, producer.value(ack.sequence)) not in values:
                    yield f"lost: {producer.value(ack.sequence)} was acknowledged in partition {ack.partition}"
                continue
            found = at.get((ack.partition, ack.offset))
            if found != producer.value(ack.sequence):
                there = "nothing" if found is None else found
                where = f"partition {ack.partition} at {ack.offset}"
                yield f"lost: {producer.value(ack.sequence)} was acknowledged in {where}, where {there} is"


def _twice(log: Log) -> Iterator[str]:
    first: dict[str, tuple[int, int]] = {}
    for partition, entries in log.items():
        for entry in entries:
            place = first.setdefault(entry.value, (partition, entry.offset))
            if place != (partition, entry.offset):
                yield f"twice: {entry.value} is in partition {place[0]} at {place[1]} and {partition} at {entry.offset}"


def _disordered(log: Log) -> Iterator[str]:
    for partition, entries in log.items():
        last: dict[str, int] = {}
        for entry in entries:
            producer, sequence = split(entry.value)
            if sequence < last.get(producer, -1):
                yield (
                    f"disordered: {entry.value} in partition {partition} at {entry.offset}"
                    f" comes after {producer}.{last[producer]}"
                )
            last[producer] = max(sequence, last.get(producer, -1))


def _invented(history: History, log: Log) -> Iterator[str]:
    sent = {producer.name: producer.sent for producer in history.producers}
    for partition, entries in log.items():
        for entry in entries:
            producer, sequence = split(entry.value)
            if not 0 <= sequence < sent.get(producer, 0):
                yield f"invented: nobody sent {entry.value}, which is in partition {partition} at {entry.offset}"


def _holes(log: Log) -> Iterator[str]:
    for partition, entries in log.items():
        expected = 0
        for entry in entries:
            if entry.offset != expected:
                yield f"hole: partition {partition} has {entry.offset} where {expected} was to come"
            expected = entry.offset + 1


def _consumed_wrongly(consumer: Consuming, log: Log) -> Iterator[str]:
    at = {(partition, entry.offset): entry.value for partition, entries in log.items() for entry in entries}
    by_partition: dict[int, list[Seen]] = {}
    for seen in consumer.seen:
        by_partition.setdefault(seen.partition, []).append(seen)
        if at.get((seen.partition, seen.offset)) != seen.value:
            there = at.get((seen.partition, seen.offset), "nothing")
            yield f"{consumer.name} read {seen.value} in partition {seen.partition} at {seen.offset}: {there} is there"
    for partition, everything in by_partition.items():
        yield from _went_wrong(f"{consumer.name}, partition {partition}", everything)


def _went_wrong(who: str, everything: Sequence[Seen]) -> Iterator[str]:
    furthest = everything[0].offset
    for before, after in pairwise(everything):
        furthest = max(furthest, before.offset)
        if after.run == before.run and after.offset != before.offset + 1:
            yield f"{who}: {after.offset} came after {before.offset}"
        elif after.run != before.run and after.offset > furthest + 1:
            yield f"{who}: left out what is between {furthest} and {after.offset} when it was assigned anew"


def split(value: str) -> tuple[str, int]:
    """Producer and sequence; (value, -1) of what none of ours wrote."""
    producer, _, sequence = value.rpartition(".")
    return (producer, int(sequence)) if producer and sequence.isdigit() else (value, -1)


def in_order(entries: Iterable[tuple[int, int, str]]) -> dict[int, list[Entry]]:
    """(partition, offset, value) as a Log."""
    log: dict[int, list[Entry]] = {}
    for partition, offset, value in sorted(entries):
        log.setdefault(partition, []).append(Entry(offset, value))
    return log
