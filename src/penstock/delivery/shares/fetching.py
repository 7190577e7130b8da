"""One share fetch: what it can be given now, or a place among those who wait for it.

It looks at its partitions: where each group's window would be read next, and what is there. If that is enough, the
records are given out and the answer is made; else nothing is given out, and it looks again when one of them moves: new
records, an acknowledgement, records that came back, the log's start. Between looking and giving out nothing waits, so
several fetches of one partition never get the same record.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from penstock.coordinators.shares.states import SharePartitionKey
from penstock.delivery.shares.acquiring import Acquired, Wanted
from penstock.delivery.shares.batches import FoundBatch, aborted_among, batches_in, bytes_of, cut
from penstock.delivery.shares.keys import keyed_batches
from penstock.delivery.shares.service import ShareDelivery
from penstock.delivery.shares.sessions import SharedPartition
from penstock.delivery.shares.share_partition import SharePartition
from penstock.errors import NotLeaderOrFollower, OffsetOutOfRange, Refusal
from penstock.log import FileSlice
from penstock.model import Clock
from penstock.replication import LaterRecords, Partition, Promise, RecordBytes, Records
from penstock.replication.session_ports import AfterReceivePort, DeadlinePort, DeadlinesPort

KEYS_OF_A_LOOK: Final = 1 << 20
"""Bytes of records whose keys are read in one turn of the loop."""


class Given(msgspec.Struct):
    """What a fetch gets of one partition."""

    shared: SharedPartition
    partition: Partition | None = None
    error: Refusal | None = None
    records: Records | None = None
    acquired: Sequence[Acquired] = ()


class _Seen(msgspec.Struct):
    """What could be given out of one partition."""

    share: SharePartition
    read_from: int
    records: Records
    batches: list[FoundBatch]
    aborted: list[tuple[int, int]]
    size: int
    """What there is for a reader, which may be more than an answer holds."""

    @property
    def certain(self) -> int:
        """Records that will be given out at least."""
        machine = self.share.machine
        is_new = machine is not None and machine.window.end <= self.read_from
        return self.batches[-1].header.last_offset - self.read_from + 1 if is_new else 0


class _Coming(NamedTuple):
    """What is being brought, or made of a part of the log, of which it is known what was aborted."""

    offset: int
    later: LaterRecords
    aborted: Sequence[tuple[int, int]]


class Limits(msgspec.Struct, frozen=True):
    wait_ms: int
    bytes_min: int
    bytes_max: int
    slices_max: int


class NotInMemory(Exception):
    """An index or records have to be read first, and the loop must not wait for a disk."""

    def __init__(self, partition: Partition, offset: int, records: FileSlice | None) -> None:
        self._partition = partition
        self._offset = offset
        self._records = records

    def bring(self) -> None:
        """Blocks; in a thread."""
        if self._records is None:
            self._partition.reader.warm(self._offset)
        else:
            self._records.warm()

    def release(self) -> None:
        if self._records is not None:
            self._records.release()


class ShareFetch:
    def __init__(
        self,
        shares: ShareDelivery,
        group: str,
        wanted: Wanted,
        limits: Limits,
        partitions: Sequence[tuple[SharedPartition, Partition]],
        *,
        refused: Sequence[Given] = (),
        is_current: Callable[[], bool] = lambda: True,
        require_right: Callable[[str], None] | None = None,
        clock: Clock,
        has_lanes: bool = False,
        hold_back: Callable[[Sequence[tuple[str, int]]], float] | None = None,
    ) -> None:
        """`refused`: what else was asked for. `is_current`: whether its session is still there. `require_right`, asked
        with each look, raises a Refusal for a topic that the reader may not read any more. `has_lanes`: the first
        partitions get all there is room for, before the others get any. `hold_back` counts bytes by topic, or says for
        how many seconds the reader gets nothing.
        """
        self._shares = shares
        self._group = group
        self._wanted = wanted
        self._limits = limits
        self._partitions = partitions
        self._is_current = is_current
        self._require_right = require_right
        self._clock = clock
        self._has_lanes = has_lanes
        self._is_behind = False
        """It is to look again at once, after others had their turn."""
        self._hold_back = hold_back
        self._errors = {each.shared: each for each in refused}
        self._asked = len(partitions) + len(refused)
        self._seen: list[_Seen] = []
        self._coming: dict[SharePartition, _Coming] = {}
        self._watched: list[SharePartition] = []
        self._promise: Promise[list[Given]] | None = None
        self._deadline: DeadlinePort | None = None
        self._afterwards: AfterReceivePort | None = None
        self._is_scheduled = False
        self._has_brought = False
        self.held_s = 0.0
        """For how long its client is to be held back."""

    @property
    def is_idle(self) -> bool:
        """Whether it asks for nothing."""
        return not self._partitions or self._wanted.records_max <= 0 or self._limits.bytes_max <= 0

    # Looking ----------------------------------------------------------------------------------------------------

    def look(self, *, may_load: bool) -> bool:
        """Whether what is there is enough for an answer. NotInMemory unless it `may_load`."""
        self.let_go()
        known = len(self._errors)
        total, left, files = 0, self._limits.bytes_max, self._limits.slices_max
        missing = self._wanted.records_max
        for place, (shared, partition) in enumerate(self._partitions):
            if shared in self._errors:
                continue
            try:
                if self._require_right is not None:
                    self._require_right(partition.topic)
                share = self._share(shared, partition)
                sharing = 1 if self._has_lanes else len(self._partitions) - place
                each_max = left // sharing if left > 0 else 0
                seen = None if files <= 0 else self._see(share, each_max, at_least_one=not total, may_load=may_load)
            except Refusal as refusal:
                self._errors[shared] = Given(shared, partition, error=refusal)
                continue
            if seen is not None:
                self._seen.append(seen)
                total += seen.size
                left -= seen.records.size
                files -= 1
                missing -= seen.certain
                if missing <= 0:
                    break
        is_news = len(self._errors) > known and self._promise is not None
        is_enough = total >= self._limits.bytes_min if total else self._limits.bytes_min <= 0 and self._is_open()
        return is_news or len(self._errors) == self._asked or is_enough

    def _is_open(self) -> bool:
        """Whether there is one that it would be given records of, if there were some."""
        return any(share.read_from() is not None for share in self._watched)

    def _share(self, shared: SharedPartition, partition: Partition) -> SharePartition:
        key = SharePartitionKey(self._group, *shared)
        for share in self._watched:
            if share.key == key:
                if share.failure is not None:
                    raise share.failure
                if not share.is_gone:
                    return share
                self._unwatch(share)
                break
        partition.require_leader()
        share = self._shares.share_partitions.open(key, partition)
        self._watched.append(share)
        if self._promise is not None:
            self._watch(share)
        return share

    def _see(self, share: SharePartition, bytes_max: int, *, at_least_one: bool, may_load: bool) -> _Seen | None:
        partition = share.partition
        partition.require_leader(share.leader_epoch)
        rules = share.rules
        offset = share.read_from()
        before = partition.last_stable_offset if rules.committed_only else partition.high_watermark
        if offset is None or share.machine is None:
            self._is_behind |= share.is_gone  # it was to be read anew
            return None
        if share.machine.is_by_key:
            offset = self._read_keys(share, before, may_load=may_load)
        if offset is None or offset >= before:
            return None
        records, aborted = self._read(share, offset, bytes_max, at_least_one=at_least_one, may_load=may_load)
        if records is None:
            return None
        if not may_load and isinstance(records, FileSlice) and not records.is_hot():
            raise NotInMemory(partition, offset, records)
        try:
            size = partition.reader.bytes_from(records, committed_only=rules.committed_only) or records.size
            batches = batches_in(records, until=share.machine.useful_until(offset, self._wanted, rules))
        except BaseException:
            records.release()
            raise
        first, last = batches[0].header.base_offset, batches[-1].header.last_offset
        return _Seen(share, offset, cut(records, batches, first=first, last=last), batches, aborted, size)

    def _read_keys(self, share: SharePartition, before: int, *, may_load: bool) -> int | None:
        """Read as many keys as it takes to have something to give out; where that is, if there is anything."""
        machine, rules = share.machine, share.rules
        assert machine is not None
        left = KEYS_OF_A_LOOK
        while (offset := machine.keys_wanted(self._wanted, rules)) is not None and offset < before:
            if left <= 0:
                self._is_behind = True
                break
            records, aborted = self._read(share, offset, left, at_least_one=True, may_load=may_load)
            if records is None:
                return None
            if not may_load and isinstance(records, FileSlice) and not records.is_hot():
                raise NotInMemory(share.partition, offset, records)
            try:
                batches = keyed_batches(records, aborted if rules.committed_only else ())
                for batch in batches:
                    if not machine.take_in(batch, rules):
                        break
                left -= records.size
            finally:
                records.release()
        share.watch_deadlines()
        found = machine.read_from(rules)
        return found if found is not None and found < machine.window.end else None

    def _read(
        self, share: SharePartition, offset: int, bytes_max: int, *, at_least_one: bool, may_load: bool
    ) -> tuple[Records | None, list[tuple[int, int]]]:
        """The records there and what of them is aborted. What has to be brought from elsewhere comes with a later
        look.
        """
        coming = self._coming.get(share)
        if coming is not None and coming.offset == offset and not coming.later.done():
            return None, []
        if coming is not None:
            del self._coming[share]
            if coming.offset == offset:
                records = coming.later.result()
                return records, [*coming.aborted, *(records.aborted if isinstance(records, RecordBytes) else ())]
            coming.later.release()
        reader, committed_only = share.partition.reader, share.rules.committed_only
        if not may_load and not reader.is_near(offset):
            raise NotInMemory(share.partition, offset, None)
        try:
            readable = reader.read(
                offset, bytes_max=bytes_max, committed_only=committed_only, at_least_one=at_least_one
            )
        except OffsetOutOfRange:
            return None, []  # after an unclean election: what comes next is given out when it is there
        if isinstance(readable.records, LaterRecords):
            self._coming[share] = _Coming(offset, readable.records, readable.aborted or ())
            readable.records.add_done_callback(lambda _done: self.partition_moved())
            return None, []
        return readable.records, list(readable.aborted or ())

    # Giving out -------------------------------------------------------------------------------------------------

    def give(self) -> list[Given]:
        """What it has seen is its member's now, unless that has gone meanwhile."""
        if not self._is_current():
            self.let_go()
            return []
        sizes = [(seen.share.partition.topic, seen.records.size) for seen in self._seen]
        self.held_s = self._hold_back(sizes) if sizes and self._hold_back is not None else 0.0
        if self.held_s > 0:
            self.let_go()
        given = [self._give_of(seen) for seen in self._seen]
        self._seen = []
        return [*(each for each in given if each is not None), *self._errors.values()]

    def _give_of(self, seen: _Seen) -> Given | None:
        share, rules = seen.share, seen.share.rules
        shared = SharedPartition(share.key.topic_id, share.key.partition)
        machine = share.machine
        left = self._wanted.records_max
        if machine is None or share.is_gone or left <= 0:
            seen.records.release()
            return Given(shared, share.partition, error=NotLeaderOrFollower() if share.is_gone else None)
        acquired = machine.acquire(
            self._wanted,
            rules,
            now=self._clock.monotonic(),
            asked_from=seen.read_from,
            batches=[batch.span for batch in seen.batches],
            aborted=aborted_among(seen.batches, seen.aborted) if rules.committed_only else (),
        )
        if rules.has_times_to_live and acquired:
            acquired = share.without_expired(acquired, bytes_of(seen.records))
        if not acquired:
            seen.records.release()
            return Given(shared, share.partition)
        share.given_out(acquired)
        self._wanted = msgspec.structs.replace(
            self._wanted, records_max=left - sum(each.last - each.first + 1 for each in acquired)
        )
        records = cut(seen.records, seen.batches, first=acquired[0].first, last=acquired[-1].last)
        metrics = share.partition.metrics
        metrics.bytesout += records.size
        return Given(shared, share.partition, records=records, acquired=acquired)

    def let_go(self) -> None:
        for seen in self._seen:
            seen.records.release()
        self._seen = []

    # Waiting ----------------------------------------------------------------------------------------------------

    def park(self, afterwards: AfterReceivePort, deadlines: DeadlinesPort) -> Promise[list[Given]]:
        self.let_go()
        self._afterwards = afterwards
        self._promise = promise = Promise[list[Given]]()
        self._deadline = deadlines.call_later(self._limits.wait_ms, self._time_over)
        for _shared, partition in self._partitions:
            partition.waiters.watch(self)
        for share in self._watched:
            self._watch(share)
        promise.add_done_callback(self._unpark)
        self._go_on()
        return promise

    def _watch(self, share: SharePartition) -> None:
        share.waiters[self] = None

    def _unwatch(self, share: SharePartition) -> None:
        self._watched.remove(share)
        share.waiters.pop(self, None)

    def _go_on(self) -> None:
        if self._is_behind:
            self._is_behind = False
            self.partition_moved()

    def partition_moved(self) -> None:
        # Much that happens in one receive becomes one look, after the last of it.
        if not self._is_scheduled and self._afterwards is not None:
            self._is_scheduled = True
            self._afterwards.soon(self._try_again)

    def _try_again(self) -> None:
        self._is_scheduled = False
        self._look_again(is_time_over=False)

    def _time_over(self) -> None:
        self._look_again(is_time_over=True)

    def _look_again(self, *, is_time_over: bool) -> None:
        promise = self._promise
        if promise is None or promise.done() or (not is_time_over and self._is_in_vain()):
            return
        try:
            is_enough = self.look(may_load=is_time_over or self._has_brought)
            given = self.give() if is_enough or is_time_over else None
        except NotInMemory as missing:
            self._bring(missing)
            return
        except Exception as bug:  # whoever waits must not wait for ever
            self.let_go()
            promise.set_exception(bug)
            return
        if given is None:
            self.let_go()
            self._go_on()
        else:
            promise.set_result(given)

    def _is_in_vain(self) -> bool:
        """A record is told to all who wait for one, and one of them gets it."""
        if len(self._watched) < len(self._partitions):
            return False
        try:
            for share in self._watched:
                share.partition.require_leader(share.leader_epoch)
        except Refusal:
            return False
        return not any(share.may_give for share in self._watched)

    def _bring(self, missing: NotInMemory) -> None:
        """Once: who waits is not kept waiting by a memory that forgets as fast as it learns."""
        self.let_go()
        self._has_brought = True
        bringing = asyncio.get_running_loop().run_in_executor(None, missing.bring)

        def brought(done: "asyncio.Future[None]") -> None:
            missing.release()
            if not done.cancelled() and done.exception() is None:
                self._try_again()

        bringing.add_done_callback(brought)

    def _unpark(self, _promise: Promise[list[Given]]) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        for _shared, partition in self._partitions:
            partition.waiters.unwatch(self)
        for share in self._watched:
            share.waiters.pop(self, None)
        for coming in self._coming.values():
            coming.later.release()
