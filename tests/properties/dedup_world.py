"""One partition without duplicates, in a world of its own: leaders that come and go, clocks that are set, cuts.

Real are the table of ids, the marks, what is read from batches, the batches that are left with gaps, and snapshots. The
log is a list of real batches. Beside it stands a model that knows no table: it goes through all that was ever appended
and says which ids count.
"""

import random
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from penstock.delivery.dedup.bugs import NO_BUGS, DedupBugs
from penstock.delivery.dedup.ids import IdRule, find_ids, without
from penstock.delivery.dedup.machine import IdTable
from penstock.delivery.dedup.marks import Mark, read_mark
from penstock.delivery.dedup.replay import steps_in, take_in
from penstock.delivery.dedup.snapshot import decode, encode, freeze
from penstock.wire.batch import BASE_OFFSET, LEADER_EPOCH, LEADER_EPOCH_AT, BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker, read_marker
from penstock.wire.notes import build_note, may_be_note, read_note
from penstock.wire.records import Record, build_batch, iterate

WINDOW_MS = 640
RESOLUTION_MS = 10
RULE = IdRule.of("header:id")
IDS = [b"%d" % number for number in range(12)]
STEPS = 120
PRODUCERS = (7, 8, 9)


class Violation(Exception):
    """A promise was broken."""


def digest(record_id: bytes) -> bytes:
    return blake2b(record_id, digest_size=16).digest()


def id_of(record: Record) -> bytes | None:
    return dict(record.headers).get("id")


class Model:
    """Which ids count, by the log alone."""

    def __init__(self, log: Sequence[bytes], ids_max: int) -> None:
        self.ids_max = ids_max
        self.time_ms = -1
        self.start = 0
        self.known: dict[bytes, tuple[int, int]] = {}
        """Offset and time, in the order in which they began to count."""
        self.pending: dict[int, dict[bytes, int]] = {}
        for batch in log:
            self._take(batch)

    def _take(self, batch: bytes) -> None:
        header = BatchHeader.peek(batch)
        if may_be_note(header):
            content = read_note(batch)
            mark = read_mark(content) if content is not None else None
            if mark is not None:
                self.time_ms, self.start = max(self.time_ms, mark.time_ms), mark.start
                self._clean()
            return
        if header.is_control:
            marker = read_marker(batch)
            ended = self.pending.pop(header.producer_id, {})
            if marker is not None and marker.type is MarkerType.COMMIT:
                for record_id, offset in ended.items():
                    if offset > self.known.get(record_id, (-1, 0))[0]:
                        self._count(record_id, offset)
            return
        for record in iterate(batch):
            own = id_of(record)
            if own is not None and header.is_transactional:
                self.pending.setdefault(header.producer_id, {}).setdefault(own, record.offset)
            elif own is not None:
                self._count(own, record.offset)

    def _count(self, record_id: bytes, offset: int) -> None:
        self.known.pop(record_id, None)
        self.known[record_id] = (offset, self.time_ms)
        while len(self.known) > self.ids_max:
            del self.known[next(iter(self.known))]

    def _clean(self) -> None:
        for record_id, (offset, time_ms) in list(self.known.items()):
            if offset < self.start or self.time_ms - time_ms >= WINDOW_MS + RESOLUTION_MS:
                del self.known[record_id]
        for pending in self.pending.values():
            for record_id, offset in list(pending.items()):
                if offset < self.start:
                    del pending[record_id]

    def duplicates(self, ids: Sequence[bytes | None], producer_id: int) -> set[int]:
        """Places in a batch."""
        seen = {*self.known, *self.pending.get(producer_id, ())}
        found = set()
        for place, each in enumerate(ids):
            if each in seen:
                found.add(place)
            elif each is not None:
                seen.add(each)
        return found


class Unsure(Exception):
    """All marks were deleted or cut, and whoever knew the table is gone: ids count anew from now on."""


class World:
    def __init__(self, seed: int, bugs: DedupBugs) -> None:
        self.dice = random.Random(seed)
        self.bugs = bugs
        self.has_transactions = bool(seed % 3)
        self.ids_max = 100 if self.has_transactions else 6
        self.log: list[bytes] = []
        self.ends: list[int] = []
        self.start = self.high_watermark = 0
        self.epoch = 1
        self.now = 1_000_000
        self.leader = self._new_table()
        self.follower = self._new_table()
        self.snapshots: list[bytes] = []
        self.open: set[int] = set()
        self.dealt_out: set[str] = set()

    def _new_table(self) -> IdTable:
        table = IdTable(window_ms=WINDOW_MS, ids_max=self.ids_max, bugs=self.bugs)
        table.end = self.start
        return table

    @property
    def end(self) -> int:
        return self.ends[-1] if self.ends else 0

    # The log ------------------------------------------------------------------------------------------------------

    def _append(self, batch: bytearray) -> int:
        base_offset = self.end
        BASE_OFFSET.pack_into(batch, 0, base_offset)
        LEADER_EPOCH.pack_into(batch, LEADER_EPOCH_AT, self.epoch)
        self.log.append(bytes(batch))
        self.ends.append(BatchHeader.peek(batch).next_offset)
        return base_offset

    def _batches(self, start: int, end: int) -> Iterator[bytes]:
        for batch, upto in zip(self.log, self.ends, strict=True):
            if start < upto <= end:
                yield batch

    def _feed(self, table: IdTable, upto: int) -> None:
        for step in steps_in(b"".join(self._batches(table.end, upto)), RULE, start=self.start):
            take_in(table, step)

    # What happens -------------------------------------------------------------------------------------------------

    def produce(self) -> None:
        dice = self.dice
        ids = [dice.choice([*IDS, None]) for _ in range(dice.randint(1, 4))]
        producer_id = dice.choice(PRODUCERS) if self.has_transactions and dice.random() < 0.5 else -1
        sent_at = self.now - dice.choice((0, 0, 5, 100_000))
        records = [
            Record(place, sent_at + place, b"k", b"v", () if each is None else (("id", each),))
            for place, each in enumerate(ids)
        ]
        batch = build_batch(
            records,
            compression=dice.choice((0, 0, 3)),
            producer_id=producer_id,
            producer_epoch=0 if producer_id >= 0 else -1,
            base_sequence=0 if producer_id >= 0 else -1,
            transactional=producer_id >= 0,
        )
        table = self.leader
        if len(table) and table.time_ms < 0:
            raise Unsure
        if table.mark_due(self.now, start=self.start):
            self._write_mark(table.next_mark(self.now, start=self.start))
        found = find_ids(batch, RULE)
        duplicates = table.find_duplicates(found.digests, producer_id=producer_id)
        places = {found.places[each] for each in duplicates}
        model = Model(self.log, self.ids_max)
        if model.time_ms > table.time_ms:
            raise Unsure  # the clock was set back, and the marks from before are gone
        expected = model.duplicates(ids, producer_id)
        if places != expected:
            raise Violation(f"{ids} of {producer_id}: left out {sorted(places)}, expected {sorted(expected)}")
        if duplicates:
            batch = without(batch, found, places)
        base_offset = self._append(batch)
        self._check(self.log[-1], base_offset, records, places)
        kept = [each for each in range(len(found.digests)) if each not in duplicates]
        table.add(
            [found.digests[each] for each in kept],
            [base_offset + found.deltas[each] for each in kept],
            producer_id=producer_id,
        )
        table.end = self.end
        if producer_id >= 0:
            self.open.add(producer_id)

    def _check(self, batch: bytes, base_offset: int, records: list[Record], places: set[int]) -> None:
        """What is in the log is what came, without those records."""
        left = [record for place, record in enumerate(records) if place not in places]
        in_log = [(each.offset - base_offset, each.timestamp, each.headers) for each in iterate(batch)]
        header = BatchHeader.peek(batch)
        if in_log != [(each.offset, each.timestamp, each.headers) for each in left]:
            raise Violation(f"{in_log} is in the log for {left}")
        if header.last_offset_delta != len(records) - 1 or (
            left and header.max_timestamp != max(each.timestamp for each in left)
        ):
            raise Violation(f"the header says {header}")

    def _write_mark(self, mark: Mark) -> None:
        self._append(build_note(mark.encode(), timestamp=self.now, base_offset=self.end, leader_epoch=self.epoch))
        self.leader.mark(mark)
        self.leader.end = self.end

    def end_transaction(self) -> None:
        if self.open:
            producer_id = self.dice.choice(sorted(self.open))
            self.open.discard(producer_id)
            kind = self.dice.choice((MarkerType.COMMIT, MarkerType.COMMIT, MarkerType.ABORT))
            self.dealt_out.add(kind.name.lower())
            self._append(build_marker(Marker(kind, 0), producer_id=producer_id, producer_epoch=0, timestamp=self.now))
            self._feed(self.leader, self.end)

    def time_passes(self) -> None:
        self.now += self.dice.choice((1, 5, 20, 200, WINDOW_MS))

    def set_clock(self) -> None:
        self.dealt_out.add("clock set")
        self.now += self.dice.choice((-5_000, -300, -20, 300))

    def replicate(self) -> None:
        later = [each for each in self.ends if each >= self.high_watermark]
        if later:
            self.high_watermark = self.dice.choice(later)

    def feed_follower(self) -> None:
        if self.follower.end < self.start:
            self.follower = self._new_table()
        self._feed(self.follower, self.high_watermark)

    def write_snapshot(self) -> None:
        if self.leader.end > self.start:
            frozen = freeze(self.leader, by="header:id", epoch=self.epoch_at(self.leader.end - 1))
            self.snapshots = [*self.snapshots[-1:], encode(frozen)]

    def epoch_at(self, offset: int) -> int:
        for batch, upto in zip(self.log, self.ends, strict=True):
            if offset < upto:
                return BatchHeader.peek(batch).leader_epoch
        return -1

    def fail_over(self) -> None:
        """What was not replicated may be gone; the follower leads."""
        self.dealt_out.add("failed over")
        kept = self.dice.choice([each for each in (0, *self.ends) if each >= self.high_watermark])
        if kept < self.end:
            self.dealt_out.add("cut")
            keep = [place for place, each in enumerate(self.ends) if each <= kept]
            self.log, self.ends = self.log[: len(keep)], self.ends[: len(keep)]
            self.open = set(Model(self.log, 100).pending)
        self.epoch += 1
        self.leader, self.follower = self.follower, self._from_disk()
        if not self.start <= self.leader.end <= self.end:
            self.leader = self._from_disk()
        self._feed(self.leader, self.end)

    def restart(self) -> None:
        self.dealt_out.add("restarted")
        self.epoch += 1
        self.leader = self._from_disk()
        self._feed(self.leader, self.end)

    def _from_disk(self) -> IdTable:
        """From a snapshot of this log, else from its start, or where records are young enough to matter."""
        if self.dice.random() < 0.6:
            for snapshot in reversed(self.snapshots):
                preface, table = decode(snapshot)
                if self.start < preface.end <= self.end and self.epoch_at(preface.end - 1) == preface.epoch:
                    self.dealt_out.add("snapshot")
                    table._bugs = self.bugs
                    return table
                self.dealt_out.add("snapshot of another log")
        return self._new_table()

    def delete_records(self) -> None:
        self.dealt_out.add("records deleted")
        self.start = self.dice.randint(self.start, self.high_watermark)

    def step(self) -> None:
        doing = self.dice.choices(
            (
                self.produce, self.end_transaction, self.time_passes, self.set_clock, self.replicate,
                self.feed_follower, self.write_snapshot, self.fail_over, self.restart, self.delete_records,
            ),
            (40, 12, 12, 3, 12, 8, 6, 3, 3, 3),
        )  # fmt: skip
        doing[0]()


def story(seed: int, bugs: DedupBugs = NO_BUGS) -> tuple[Violation | None, set[str]]:
    world = World(seed, bugs)
    try:
        for _ in range(STEPS):
            world.step()
    except Violation as violation:
        return violation, world.dealt_out
    except Unsure:
        world.dealt_out.add("time unknown")
    return None, world.dealt_out
