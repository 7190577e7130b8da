"""One partition of an internal topic and the machine that lives on it.

decide -> append -> apply -> reply when the high watermark passes. The append and the apply happen together, with no
await between, so the next command sees what this one did. An append that is refused leaves the machine untouched
(RULES 32); lost leadership or a storage failure discards the machine, and whoever leads next replays the log.

Records of a transaction are appended under their producer's id and applied as `InTransaction`; the marker that ends it
is appended and applied as `TransactionEnded`, also together: what is committed counts exactly when the log says so.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import structlog

from penstock.coordinators.decision import (
    NOBODY,
    RUNNER,
    Address,
    ClockMoved,
    Command,
    Decision,
    EndTransaction,
    InTransaction,
    Loaded,
    Machine,
    PlacedMachine,
    RecordCodec,
    Reply,
    Timer,
    TransactionEnded,
    Work,
)
from penstock.coordinators.loading import batches_in, changes_in
from penstock.coordinators.steady_clock import SteadyClock
from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    KafkaStorageError,
    MessageTooLarge,
    NotCoordinator,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    RecordListTooLarge,
    Refusal,
    UnknownServerError,
)
from penstock.model import Clock, Millis
from penstock.replication import ALL, Appended, Partition
from penstock.wire.markers import MarkerType
from penstock.wire.records import Record, build_batch

LOAD_BYTES = 1 << 20
LOAD_RECORDS = 200
"""Records read and applied between two turns of the loop: less than a millisecond's worth."""
PUT_OFF_MS = 1_000
"""When a command that nobody waits for is tried again."""
LATE_S = 1.0
"""A timer that goes off so late says that the process stood still: it was stopped, or its machine was."""
GRACE_MS = 5_000
"""What others are given after that to be heard: clients say that they are alive every three to five seconds."""

_log = structlog.get_logger(__name__)

Answer = Callable[[Address, Any], None]


class Shard:
    def __init__(
        self,
        partition: Partition,
        machine: Machine,
        codec: RecordCodec,
        *,
        clock: Clock,
        answer: Answer,
        held: Callable[[Address], None] = lambda _address: None,
        failed: "Callable[[Shard], None]" = lambda _shard: None,
        compression: int = 0,
    ) -> None:
        """`held` is told of answers that are decided and wait for nothing but the high watermark; `failed` when this
        shard can go on no longer, though nobody else is known to lead.
        """
        self.partition = partition
        self.machine = machine
        self.is_active = False
        self.is_gone = False
        self.loaded_records = 0
        self.load_seconds = 0.0
        """From when the partition began to be led here: so long was everyone told to ask again."""
        self._began_s = clock.monotonic()
        self._epoch = partition.leader_epoch
        self._codec = codec
        self._place = machine.place if isinstance(machine, PlacedMachine) else None
        self._clock = clock
        self._steady = SteadyClock(clock)
        self._answer_one = answer
        self._tell_held = held
        self._tell_failed = failed
        self._compression = compression
        self._asking: set[Address] = set()
        self._written_to = 0
        self._waiting: OrderedDict[int, tuple[int, Reply]] = OrderedDict()
        """By address, in the order of what they wait for. Orders to the runner share an address: they are numbered. No
        plain dict, in which each look at the first passes over all that were before it."""
        self._orders = 0
        self._timers: dict[tuple[str, ...], asyncio.TimerHandle] = {}
        self._working: set[asyncio.Future[Command]] = set()
        self._put_off_count = 0

    # Loading ----------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        """Replay the log to its end, a piece at a time: a thread would not be faster, and would hold the interpreter up
        for longer than a piece does.
        """
        partition = self.partition  # its log may be exchanged between two pieces, by one with the same records
        offset = partition.start_offset
        while offset < partition.end_offset and not self.is_gone:
            data = partition.reader.load(offset, LOAD_BYTES)
            if not data:
                break
            offset = await self._replay(data, offset)
        self._written_to = partition.end_offset
        self.load_seconds = self._clock.monotonic() - self._began_s

    async def _replay(self, data: bytes, offset: int) -> int:
        """Apply what a run of batches says from `offset` on; the offset after it."""
        apply, name = self.machine.apply, str(self.partition.topic_partition)
        next_offset = offset
        for header, batch in batches_in(data):
            if self._place is not None:
                self._place(header.base_offset)
            for change in changes_in(header, batch, self._codec, name, start=offset):
                apply(change)
                self.loaded_records += 1
                if self.loaded_records % LOAD_RECORDS == 0:
                    await asyncio.sleep(0)
            next_offset = header.next_offset
        return next_offset

    def begin(self, commands: Iterable[Command] = ()) -> None:
        """What was loaded takes commands from now on, these first."""
        if self.is_gone:
            return
        self.is_active = True
        self.partition.waiters.watch(self)
        self.submit(Loaded())
        for command in commands:
            self.submit(command)

    def serves(self, partition: Partition) -> bool:
        """Whether this is still the shard for a partition, led by this broker under the same epoch."""
        return (
            not self.is_gone
            and self.partition is partition
            and partition.is_leader
            and partition.leader_epoch == self._epoch
        )

    # Commands ---------------------------------------------------------------------------------------------------

    def submit(self, command: Command, brought_by: tuple[str, ...] | None = None) -> None:
        """Carry a command out. Whoever it concerns is answered, now or when the high watermark has passed. If a timer
        brought it, that timer is named.
        """
        if not self.is_active:
            self._answer(command.address, NotCoordinator() if self.is_gone else CoordinatorLoadInProgress())
            return
        self._asking.add(command.address)
        try:
            decision = self._carry_out(command)
        except Refusal as refusal:
            if isinstance(refusal, (CoordinatorNotAvailable, UnknownServerError)):
                self._put_off(command, brought_by)
            self._release_later(Reply(command.address, refusal))
            return
        except Exception as bug:
            _log.error("coordinator failed", partition=str(self.partition.topic_partition), exc_info=bug)
            self._put_off(command, brought_by)
            self._answer(command.address, UnknownServerError())
            return
        try:
            self._apply(decision)
        except Exception as bug:
            # The log has it, the machine has half of it at best: what both agree on is found by reading the log.
            _log.error("coordinator failed", partition=str(self.partition.topic_partition), exc_info=bug)
            self.fail()
            return
        for timer in decision.timers:
            self._set(timer)
        for work in decision.work:
            self._begin(work)
        for reply in decision.replies:
            self._release_later(reply)

    def _carry_out(self, command: Command) -> Decision:
        """What is decided, once it is in the log."""
        if isinstance(command, EndTransaction):
            return self._end_transaction(command)
        now = self._steady.now()
        ahead_ms = self._steady.wall_moved(now)
        if ahead_ms is not None:
            self.machine.apply(ClockMoved(ahead_ms))
        decision = self.machine.decide(command, now)
        if decision.records:
            self._append(decision)
        return decision

    def _apply(self, decision: Decision) -> None:
        if decision.producer is None:
            for change in decision.records:
                self.machine.apply(change)
        else:
            for change in decision.records:
                self.machine.apply(InTransaction(decision.producer[0], change))
        for change in decision.notes:
            self.machine.apply(change)

    def _append(self, decision: Decision) -> None:
        now = self._clock.now()
        records = []
        for place, record in enumerate(decision.records):
            key, value = self._codec.encode(record)
            records.append(Record(place, now, key, value))
        if decision.producer is None:
            batch = memoryview(build_batch(records, compression=self._compression))
            self._write(lambda: self.partition.append(batch, acks=ALL))
            return
        # Without a sequence, as Kafka's coordinators write: a request sent again commits the same offsets again.
        producer_id, producer_epoch = decision.producer
        batch = memoryview(
            build_batch(
                records,
                compression=self._compression,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                transactional=True,
            )
        )
        self._write(lambda: self.partition.append(batch, acks=ALL, guard=decision.guard, by_coordinator=True))

    def _end_transaction(self, command: EndTransaction) -> Decision:
        marker = command.marker
        self._write(
            lambda: self.partition.transactions.append_marker(
                marker,
                producer_id=command.producer_id,
                producer_epoch=command.producer_epoch,
                transaction_version=command.transaction_version,
            )
        )
        ended = TransactionEnded(command.producer_id, marker.type is MarkerType.COMMIT)
        return Decision(notes=(ended,), replies=(Reply(command.address, None),))

    def _write(self, append: Callable[[], Appended]) -> None:
        try:
            appended = append()
        except (NotLeaderOrFollower, KafkaStorageError):
            self.fail()
            raise NotCoordinator from None
        except NotEnoughReplicas:
            raise CoordinatorNotAvailable from None
        except (MessageTooLarge, RecordListTooLarge):
            _log.error("log takes no batch this large", partition=str(self.partition.topic_partition))
            raise UnknownServerError from None
        self._written_to = appended.next_offset
        if self._place is not None:
            self._place(appended.base_offset)

    def _answer(self, address: Address, value: Any) -> None:
        self._asking.discard(address)
        self._answer_one(address, value)

    def _release_later(self, reply: Reply) -> None:
        if reply.address == NOBODY:
            return
        if self.partition.high_watermark >= self._written_to:
            self._answer(reply.address, reply.value)
            return
        if reply.address == RUNNER:
            self._orders += 1
        key = -self._orders if reply.address == RUNNER else reply.address
        if self._waiting.setdefault(key, (self._written_to, reply))[1] is reply:
            self._tell_held(reply.address)

    def forget(self, address: Address) -> None:
        """Nobody waits there any more, answered or not: while the high watermark stands still those who come and go
        must not pile up.
        """
        self._asking.discard(address)
        self._waiting.pop(address, None)

    def partition_moved(self) -> None:
        """The high watermark rose, or leadership changed."""
        partition = self.partition
        if not partition.is_leader or partition.leader_epoch != self._epoch:
            self.discard()
            return
        while self._waiting:
            key, (written_to, reply) = next(iter(self._waiting.items()))
            if written_to > partition.high_watermark:
                return
            del self._waiting[key]
            self._answer(reply.address, reply.value)

    # Timers -----------------------------------------------------------------------------------------------------

    def _set(self, timer: Timer, *, is_second: bool = False) -> None:
        former = self._timers.pop(timer.name, None)
        if former is not None:
            former.cancel()
        if timer.at is None or timer.command is None:
            return
        delay_s = max(timer.at - self._steady.now(), 0) / 1000
        self._timers[timer.name] = asyncio.get_running_loop().call_later(delay_s, self._fire, timer, is_second)

    def _fire(self, timer: Timer, is_second: bool) -> None:
        """While the process stood still nobody was heard, and a loop that goes on may come to its timers before it has
        looked at a socket: all members of all groups would be given up, whose heartbeats wait there. So a timer that is
        late is set once more; but once only, or where everything is late nothing would ever be due.
        """
        handle = self._timers.pop(timer.name)
        if not self.is_active or timer.command is None:
            return
        if not is_second and asyncio.get_running_loop().time() - handle.when() > LATE_S:
            again = Timer(timer.name, Millis(self._steady.now() + GRACE_MS), timer.command)
            self._set(again, is_second=True)
            return
        self.submit(timer.command, timer.name)

    def _put_off(self, command: Command, brought_by: tuple[str, ...] | None) -> None:
        """Too few replicas are in sync to write what a command needs, the log does not take it (somebody may have
        lowered its max.message.bytes), or a bug is in the way. Where nobody waits nobody would ask again: a timer lost
        so, or work that was done, would never come back, and a transaction or a session never end.
        """
        if command.address != NOBODY:
            return
        if brought_by is None:
            self._put_off_count += 1
        name = brought_by or ("put off", str(self._put_off_count))
        self._set(Timer(name, Millis(self._steady.now() + PUT_OFF_MS), command))

    # Work -------------------------------------------------------------------------------------------------------

    def _begin(self, work: Work) -> None:
        future = asyncio.get_running_loop().run_in_executor(None, work.run)
        self._working.add(future)
        future.add_done_callback(self._finish)

    def _finish(self, future: "asyncio.Future[Command]") -> None:
        self._working.discard(future)
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            _log.error("coordinator's work failed", partition=str(self.partition.topic_partition), exc_info=error)
        elif self.is_active:
            self.submit(future.result())

    # Ending -----------------------------------------------------------------------------------------------------

    def fail(self) -> None:
        """As `discard`, where the log did not do its part: perhaps it will again."""
        if not self.is_gone:
            self.discard()
            self._tell_failed(self)

    def discard(self) -> None:
        """Another broker coordinates now, or nobody: whoever waits is told to look for it."""
        if self.is_gone:
            return
        self.is_gone, self.is_active = True, False
        self.partition.waiters.unwatch(self)
        for handle in self._timers.values():
            handle.cancel()
        self._timers.clear()
        self._waiting.clear()
        for address in sorted(self._asking - {NOBODY}):
            self._answer(address, NotCoordinator())
