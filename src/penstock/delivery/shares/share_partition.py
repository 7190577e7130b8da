"""One share group on one partition that this broker leads: its machine, what is written of it, its locks, who waits.

Writes go out one at a time, each with all that has come up meanwhile. So what was said first is written first, and many
small acknowledgements cost one write.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from math import ceil, inf
from typing import Any, Final, NamedTuple, Protocol

import structlog

from penstock.coordinators.shares.states import SharePartitionKey, ShareStates
from penstock.delivery.shares.acquiring import Acquired
from penstock.delivery.shares.archiving import kept_batch
from penstock.delivery.shares.beginning import first_offset
from penstock.delivery.shares.bugs import NO_BUGS, ShareBugs
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.metrics import ShareMetrics
from penstock.delivery.shares.ranges import Row, Step
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, REJECT, RELEASE, Said
from penstock.delivery.shares.time_to_live import expired_in, give_up
from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    FencedLeaderEpoch,
    FencedStateEpoch,
    GroupIdNotFound,
    NotCoordinator,
    NotLeaderOrFollower,
    Refusal,
    UnknownServerError,
    UnknownTopicOrPartition,
)
from penstock.model import Clock
from penstock.replication import Partition, Promise
from penstock.replication.waiting import Waiter

LOCKS_LOOKED_AT_EVERY_S: Final = 0.01
"""Locks that end within so short a time are taken back together."""

_log = structlog.get_logger(__name__)


class Archiver(Protocol):
    """Has the dead letters of a share partition written."""

    @property
    def is_busy(self) -> bool: ...

    def wake(self) -> None:
        """There is something to archive."""

    def state(self) -> tuple[bytes, list[Row]]:
        """What is to be kept with the next write, and of which records; empty where that is known already."""

    def written(self) -> None:
        """That is kept."""


class _Write(NamedTuple):
    rows: list[Row]
    step: Step | None
    written: Promise[None]


class SharePartition:
    def __init__(
        self,
        key: SharePartitionKey,
        partition: Partition,
        *,
        states: ShareStates,
        rules: Callable[[], ShareRules],
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        metrics: ShareMetrics,
        on_fenced: "Callable[[SharePartition], None]",
        on_idle: "Callable[[SharePartition], None]",
        bugs: ShareBugs = NO_BUGS,
        new_archiver: "Callable[[SharePartition, bytes], Archiver] | None" = None,
    ) -> None:
        """`new_archiver` makes who has dead letters written, given what is kept of it; only where it is needed."""
        self.key = key
        self.partition = partition
        self.leader_epoch = partition.leader_epoch
        self.machine: SharePartitionMachine | None = None
        """None until what is kept of it is read."""
        self.failure: Refusal | None = None
        """Why that could not be."""
        self.is_gone = False
        """It is thrown away: another leads, or somebody else writes its state."""
        self.archiver: Archiver | None = None
        self.waiters: dict[Waiter, None] = {}
        self.metrics = metrics
        self.stalled_since: float | None = None
        self._states = states
        self._rules = rules
        self._clock = clock
        self._spawn = spawn
        self._on_fenced = on_fenced
        self._on_idle = on_idle
        self._bugs = bugs
        self._start_kept = -1
        """What was written of where all is done."""
        self._new_archiver = new_archiver
        self._queue: list[_Write] = []
        self._writing: Promise[None] | None = None
        """While something is being written: kept when all is."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = inf

    @property
    def rules(self) -> ShareRules:
        return self._rules()

    @property
    def is_busy(self) -> bool:
        """Whether something of it is being written, or read."""
        is_being_read = self.machine is None and self.failure is None
        return self.is_writing or is_being_read or (self.archiver is not None and self.archiver.is_busy)

    @property
    def is_writing(self) -> bool:
        return self._writing is not None

    @property
    def lag(self) -> int:
        """Records that the group has not done with yet."""
        machine = self.machine
        return 0 if machine is None else max(self.partition.high_watermark - machine.start_offset - machine.done, 0)

    # Beginning and ending ---------------------------------------------------------------------------------------

    async def load(self, former: "SharePartition | None" = None) -> None:
        """Never fails: `failure` tells why it could not be read. `former`: the one before it, which may still have
        something written. Where that is of the same leader epoch, no epoch keeps it out (the broker was cut off for a
        moment, and nobody else was elected), so it has to come to its end before what is kept is read.
        """
        try:
            if former is not None and former.leader_epoch == self.leader_epoch:
                await former.all_written()
            state = await self._states.read(self.key, leader_epoch=self.leader_epoch)
            begin = state.start_offset if state.start_offset >= 0 else await self._begin(state.state_epoch)
            self.machine = SharePartitionMachine(
                state,
                start_offset=begin,
                rules=self.rules,
                now=self._clock.monotonic(),
                wall_ms=self._clock.now(),
            )
            self._start_kept = begin
            self.watch_deadlines()
            if state.relay or self.machine.window.archiving:
                self._archive(state.relay)
        except Refusal as refusal:
            self.failure = as_told(refusal)
            _log.info("share partition not read", share_partition=str(self.key), reason=str(refusal))
        except Exception as bug:
            self.failure = UnknownServerError()
            _log.error("share partition not read", share_partition=str(self.key), exc_info=bug)
        self.tell()

    async def _begin(self, state_epoch: int) -> int:
        """Kept before anything is given out: should this leader go before it hears of a single record, the next one
        must not begin at what is the latest then, and skip what came between. (Apache Kafka keeps it with the first
        acknowledgement.)
        """
        begin = await first_offset(self.partition, self.rules.reset, self._clock.now())
        await self._states.write(
            self.key,
            state_epoch=state_epoch,
            leader_epoch=self.leader_epoch,
            start_offset=begin,
            delivery_complete_count=0,
            batches=(),
        )
        return begin

    async def all_written(self) -> None:
        writing = self._writing
        if writing is not None:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            writing.add_done_callback(lambda _: None if done.done() else done.set_result(None))
            await done

    def drop(self) -> None:
        """What is being written is still answered."""
        self.is_gone = True
        if self._timer is not None:
            self._timer.cancel()
        self.tell()

    def tell(self) -> None:
        for waiter in tuple(self.waiters):
            waiter.partition_moved()

    # Giving out -------------------------------------------------------------------------------------------------

    def read_from(self) -> int | None:
        """Where to read next; None where nothing can be given out now."""
        machine, rules = self.machine, self.rules
        if machine is None or self.is_gone:
            return None
        if rules.by_key != machine.is_by_key:
            if not self.is_busy and machine.is_idle:  # nobody has anything in the former order any more
                self._on_fenced(self)
            return None
        if machine.log_starts_at(self.partition.start_offset):
            self.watch_deadlines()
        offset = machine.read_from(rules)
        if offset is not None:
            self.stalled_since = None
        elif self.stalled_since is None:
            self.stalled_since = self._clock.monotonic()
        return offset

    @property
    def may_give(self) -> bool:
        """Whether who looks now may find something: a record, or that it is gone. With an order by key, now or soon,
        only looking tells.
        """
        if self.machine is None or self.is_gone or self.machine.is_by_key or self.rules.by_key:
            return True
        offset = self.read_from()
        return offset is not None and offset < self.partition.high_watermark

    def given_out(self, acquired: Sequence[Acquired]) -> None:
        for each in acquired:
            size = each.last - each.first + 1
            self.metrics.acquired += size
            if each.deliveries > 1:
                self.metrics.redelivered += size
        self.watch_deadlines()

    def without_expired(self, acquired: Sequence[Acquired], data: bytes) -> list[Acquired]:
        """What is left of what was acquired just now, without what was not to be delivered so late."""
        assert self.machine is not None
        expired, nonsense = expired_in(data, acquired, self._clock.now())
        self.metrics.unreadable_ttl += nonsense
        if not expired:
            return list(acquired)
        self.metrics.expired += len(expired)
        left, step = give_up(self.machine.window, acquired, expired, self.rules)
        self._write(step.rows, step)
        return left

    def watch_deadlines(self) -> None:
        """After whatever may have begun a lock or a wait."""
        machine = self.machine
        if machine is None or self.is_gone or machine.next_deadline >= self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = machine.next_deadline
        wait_s = max(self._timer_at - self._clock.monotonic(), LOCKS_LOOKED_AT_EVERY_S)
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._look_at_locks)

    def _look_at_locks(self) -> None:
        self._timer, self._timer_at = None, inf
        if self.machine is None or self.is_gone:
            return
        now = self._clock.monotonic()
        step, count = self.machine.expire(self.rules, now)
        have_waited = self.machine.end_waits(now)
        self.watch_deadlines()
        if step.rows:
            self.metrics.expired_locks += count
            self._write(step.rows, step if step.ranges else None)
        if (count or have_waited) and not self._bugs.keeps_ended_locks_quiet:
            self.tell()

    # What becomes of it -----------------------------------------------------------------------------------------

    def acknowledge(self, member: str, said: Sequence[Said], *, leaves: bool = False) -> Promise[None]:
        """A promise of its being written. Refusals are raised, or what the promise comes to. `leaves`: it is the last
        that the member says.
        """
        machine = self.machine
        if machine is None:
            raise CoordinatorNotAvailable(f"{self.key} is being read")
        rules = self.rules.without_waits if leaves else self.rules
        step = machine.acknowledge(member, said, rules, self._clock.monotonic())
        self.watch_deadlines()
        promise = self._carry_out(step, is_done=any(each.first < machine.start_offset for each in said))
        promise.add_done_callback(lambda done: None if done.exception() else self._count(said))
        return promise

    def release(self, member: str) -> Promise[None]:
        """All that a member has."""
        if self.machine is None:
            return _kept()
        step = self.machine.release(member, self.rules, self._clock.monotonic())
        return self._carry_out(step, is_done=False)

    def _carry_out(self, step: Step, *, is_done: bool) -> Promise[None]:
        """`is_done`: something of it is done already, since somebody else gave it up. That may not be written yet."""
        assert self.machine is not None
        if not step.rows and not (is_done and self._start_kept < self.machine.start_offset):
            return _kept()
        promise = self._write(step.rows, step)
        return _kept() if self._bugs.answers_before_written else promise

    def _count(self, said: Sequence[Said]) -> None:
        for each in said:
            for kind, field in ((ACCEPT, "acknowledged"), (RELEASE, "released"), (REJECT, "rejected")):
                size = each.last - each.first + 1 if len(each.types) == 1 else 1
                setattr(self.metrics, field, getattr(self.metrics, field) + size * list(each.types).count(kind))

    # Dead letters -----------------------------------------------------------------------------------------------

    def _archive(self, relay: bytes = b"") -> None:
        if self.archiver is None and self._new_archiver is not None:
            self.archiver = self._new_archiver(self, relay)
        if self.archiver is not None:
            self.archiver.wake()

    def keep(self) -> Promise[None]:
        """What the archiver has to be kept."""
        return self._write([], None)

    def archived(self) -> None:
        """There is nothing to archive any more."""
        self._on_idle(self)

    # Writing ----------------------------------------------------------------------------------------------------

    def _write(self, rows: list[Row], step: Step | None) -> Promise[None]:
        write = _Write(rows, step, Promise())
        self._queue.append(write)
        if self._writing is None:
            self._writing = Promise()
            self._spawn(self._write_all(self._writing))
        return write.written

    async def _write_all(self, writing: Promise[None]) -> None:
        try:
            while self._queue:
                writes, self._queue = self._queue, []
                refusal = await self._write_once([row for write in writes for row in write.rows])
                self._settle(writes, refusal)
        finally:
            self._writing = None
            writing.set_result(None)
        self._on_idle(self)

    async def _write_once(self, rows: Sequence[Row]) -> Refusal | None:
        """Why it was not written; None if it was."""
        machine = self.machine
        assert machine is not None
        count_kept = 0 if self._bugs.forgets_delivery_counts else 1
        start_offset = machine.start_offset
        relay, more = (b"", []) if self.archiver is None else self.archiver.state()
        try:
            await self._states.write(
                self.key,
                state_epoch=machine.state_epoch,
                leader_epoch=self.leader_epoch,
                start_offset=start_offset,
                delivery_complete_count=machine.done,
                batches=[kept_batch(row, self._wall_ms(row[4]), count_kept=count_kept) for row in (*rows, *more)],
                relay=relay,
            )
        except Refusal as refusal:
            _log.info("share partition not written", share_partition=str(self.key), reason=str(refusal))
            return as_told(refusal)
        except Exception as bug:
            _log.error("share partition not written", share_partition=str(self.key), exc_info=bug)
            return UnknownServerError()
        self._start_kept = max(self._start_kept, start_offset)
        if relay and self.archiver is not None:
            self.archiver.written()
        return None

    def _wall_ms(self, until: float) -> int:
        """As it is kept: steady clocks differ from broker to broker."""
        return self._clock.now() + ceil((until - self._clock.monotonic()) * 1000) if until else 0

    def _settle(self, writes: Sequence[_Write], refusal: Refusal | None) -> None:
        machine = self.machine
        assert machine is not None
        for write in writes:
            if write.step is not None and refusal is None:
                machine.commit(write.step)
            elif write.step is not None:
                machine.undo(write.step, self.rules, self._clock.monotonic())
        self.watch_deadlines()
        if isinstance(refusal, (NotLeaderOrFollower, GroupIdNotFound, UnknownTopicOrPartition)):
            self._on_fenced(self)
        for write in writes:
            if not write.written.done():
                if refusal is None:
                    write.written.set_result(None)
                else:
                    write.written.set_exception(refusal)
        if machine.window.archiving and not self.is_gone:
            self._archive()
        if self.waiters and self.may_give:
            self.tell()


def as_told(refusal: Refusal) -> Refusal:
    """What a member is told where whoever keeps the state refuses."""
    match refusal:
        case NotCoordinator() | CoordinatorNotAvailable() | CoordinatorLoadInProgress():
            return CoordinatorNotAvailable(refusal.message)
        case FencedLeaderEpoch() | FencedStateEpoch():
            return NotLeaderOrFollower(refusal.message)
        case GroupIdNotFound() | UnknownTopicOrPartition() | NotLeaderOrFollower():
            return refusal
        case _:
            return UnknownServerError(refusal.message)


def _kept() -> Promise[None]:
    promise: Promise[None] = Promise()
    promise.set_result(None)
    return promise
