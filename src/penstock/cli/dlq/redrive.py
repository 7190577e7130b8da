"""`penstock dlq redrive`."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.dlq.letters import (
    Filter,
    Letter,
    ends,
    filter_of,
    filter_options,
    letters_between,
    partitions_of,
    topic_argument,
)
from penstock.cli.dlq.moving import FENCED, move
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, note, print_json
from penstock.client import Client, OffsetSpec, place
from penstock.errors import NetworkFailure, Refusal, RequestTimedOut
from penstock.model import TopicPartition
from penstock.wire.records import Record

RECORDS_MAX: Final = 500
"""In one transaction."""
BYTES_MAX: Final = 800_000
ATTEMPTS_MAX: Final = 5
PAUSE_S: Final = 1.0
NAME: Final = "penstock-redrive."


@dataclass
class Tally:
    moved: Counter[str] = field(default_factory=Counter)
    """By topic."""
    empty: int = 0
    lost: int = 0
    """Whose topic is gone, or that name none."""
    left_out: int = 0


@click.command()
@topic_argument
@filter_options
@click.option("--to", "target", metavar="TOPIC", help="Write them all there, and not where they came from.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), metavar="N", help="No more than N records/s.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after N records.")
@click.option("--dry-run", is_flag=True, help="Only tell how many it would be, by topic.")
@client_options
@json_option
def redrive(
    topic: str,
    group: str | None,
    source: str | None,
    reason: str | None,
    since: str | None,
    until: str | None,
    target: str | None,
    rate: float | None,
    limit: int | None,
    dry_run: bool,
    cluster: Cluster,
    as_json: bool,
) -> None:
    """Write the records in TOPIC back to the partitions that they came from, with the headers that they had.

    Each goes once: records and how far this has come are written in one transaction, under the group
    penstock-redrive.TOPIC. Interrupted, it goes on where it stopped when it is started again; with other filters it
    begins anew. The letters stay until they are purged. Readers of uncommitted records may see a few twice where it was
    interrupted: set share.isolation.level=read_committed for a share group that must not.
    """
    wanted = filter_of(group, source, reason, since, until, now_ms=int(time.time() * 1000))
    places = partitions_of(cluster, topic)
    with cluster.doing(f"redrive {topic}") as client:
        tally = _Redrive(client, topic, places, wanted, target, rate=rate, limit=limit, is_dry=dry_run).run()
    _tell(tally, topic, dry_run=dry_run, as_json=as_json)


def _tell(tally: Tally, topic: str, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json({"moved": dict(tally.moved), "empty": tally.empty, "lost": tally.lost, "left_out": tally.left_out})
        return
    for name, count in sorted(tally.moved.items()):
        click.echo(f"{'would move' if dry_run else 'moved'}: {count} records to {name}")
    if not tally.moved:
        note(f"nothing to move is left in {topic}")
    if tally.empty:
        note(f"{tally.empty} letters only say where the record is: read it there")
    if tally.lost:
        note(f"{tally.lost} letters come from topics that are gone: --to moves them elsewhere")


class _Redrive:
    def __init__(
        self,
        client: Client,
        topic: str,
        places: list[TopicPartition],
        wanted: Filter,
        target: str | None,
        *,
        rate: float | None,
        limit: int | None,
        is_dry: bool,
    ) -> None:
        self._client = client
        self._places = places
        self._wanted = wanted
        self._target = target
        self._rate = rate
        self._records_max = RECORDS_MAX if rate is None else max(1, min(RECORDS_MAX, int(rate)))
        self._left = limit
        self._is_dry = is_dry
        self._name = NAME + topic + wanted.mark
        self._tally = Tally()
        self._partitions: dict[str, int] = {}

    def run(self) -> Tally:
        last = ends(self._client, self._places, OffsetSpec.LATEST)
        attempts = 0
        while True:
            begins = self._begins()
            try:
                for letters in _pieces(letters_between(self._client, begins, last), self._records_max):
                    if self._left == 0:
                        break
                    self._step(letters)
                    attempts = 0
                return self._tally
            except FENCED as refusal:
                raise Failure(
                    "another redrive of this topic has begun, and goes on", hint="Wait for it, or start this one again."
                ) from refusal
            except Refusal as refusal:
                # It may have counted or not: what is committed tells.
                attempts += 1
                if attempts >= ATTEMPTS_MAX or not (
                    refusal.retriable or isinstance(refusal, (NetworkFailure, RequestTimedOut))
                ):
                    raise
                time.sleep(PAUSE_S)

    def _begins(self) -> dict[TopicPartition, int]:
        begins = ends(self._client, self._places, OffsetSpec.EARLIEST)
        committed = self._client.committed_offsets(self._name, self._places, require_stable=True)
        for where, outcome in committed.items():
            if isinstance(outcome, Refusal):
                raise outcome
            begins[where] = max(begins[where], outcome.offset)
        return begins

    def _step(self, letters: list[Letter]) -> None:
        records: dict[TopicPartition, list[Record]] = {}
        read_to: dict[TopicPartition, int] = {}
        step = Tally()
        began = time.monotonic()
        for letter in letters:
            if self._left == 0:
                break
            at = place(letter.record.topic, letter.record.partition)
            read_to[at] = letter.record.offset + 1
            where = self._where(letter, step)
            if where is None:
                continue
            some = records.setdefault(where, [])
            some.append(Record(len(some), _now_ms(), letter.record.key, letter.record.value, letter.headers))
            step.moved[where.topic] += 1
            if self._left is not None:
                self._left -= 1
        if not self._is_dry:
            try:
                move(self._client, self._name, self._name, records, read_to)
            except Refusal:
                if self._left is not None:
                    self._left += step.moved.total()
                raise
        self._tally.moved += step.moved
        self._tally.empty += step.empty
        self._tally.lost += step.lost
        self._tally.left_out += step.left_out
        if self._rate and not self._is_dry:
            time.sleep(max(0.0, step.moved.total() / self._rate - (time.monotonic() - began)))

    def _where(self, letter: Letter, step: Tally) -> TopicPartition | None:
        if not self._wanted.wants(letter):
            step.left_out += 1
            return None
        if letter.is_empty:
            step.empty += 1
            return None
        topic = self._target or letter.topic
        count = 0 if topic is None else self._count_of(topic)
        if topic is None or not count:
            step.lost += 1
            return None
        return place(topic, letter.partition % count)

    def _count_of(self, topic: str) -> int:
        """How many partitions it has; 0 where there is none."""
        if topic not in self._partitions:
            count = 0
            if topic in self._client.list_topics():
                self._client.run(self._client.core.need_topics([topic]))
                count = len(self._client.core.metadata.topics[topic].partitions)
            self._partitions[topic] = count
        return self._partitions[topic]


def _now_ms() -> int:
    return int(time.time() * 1000)


def _pieces(found: Iterator[list[Letter]], records_max: int) -> Iterator[list[Letter]]:
    """As many as one transaction takes."""
    piece: list[Letter] = []
    size = 0
    for letters in found:
        for letter in letters:
            bytes_of: Any = len(letter.record.value or b"") + len(letter.record.key or b"") + 200
            bytes_of += sum(len(name) + len(value or b"") for name, value in letter.headers)
            if piece and (len(piece) >= records_max or size + bytes_of > BYTES_MAX):
                yield piece
                piece, size = [], 0
            piece.append(letter)
            size += bytes_of
    if piece:
        yield piece
