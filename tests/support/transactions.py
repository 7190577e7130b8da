"""A transaction machine with a clock, a log in memory and a world to write markers to: commands in, replies out."""

from typing import Any

from penstock.coordinators.decision import RUNNER, Address, ClockMoved, Command, Decision, Loaded
from penstock.coordinators.transactions import commands
from penstock.coordinators.transactions.commands import MarkersDue, NeedsProducerId, Producer, ProducerIdDue
from penstock.coordinators.transactions.machine import TransactionMachine
from penstock.coordinators.transactions.records import TransactionCodec, TransactionKept
from penstock.coordinators.transactions.state import Transaction, TransactionLimits, TransactionVersion
from penstock.errors import Refusal
from penstock.model import Millis, PartitionIndex, TopicPartition

START = Millis(1_700_000_000_000)
TIMEOUT_MS = 60_000


def part(index: int, topic: str = "orders") -> TopicPartition:
    return TopicPartition(topic, PartitionIndex(index))


class TransactionWorld:
    """What a shard and its service do, without a disk: replies are released at once, markers when `write_markers`."""

    machine_type = TransactionMachine

    def __init__(self, limits: TransactionLimits | None = None, *, next_producer_id: int = 1_000) -> None:
        self.limits = limits or TransactionLimits()
        self.now = START
        self.codec = TransactionCodec()
        self.log: list[tuple[bytes, bytes | None]] = []
        self.epoch = 0
        self.machine = self._new_machine()
        self.replies: dict[int, Any] = {}
        self.timers: dict[tuple[str, ...], tuple[Millis, Command]] = {}
        self.due: list[MarkersDue] = []
        self.next_producer_id = next_producer_id
        self._last_address = 0

    def _new_machine(self) -> TransactionMachine:
        return self.machine_type(self.limits, coordinator_index=7, coordinator_epoch=self.epoch)

    # Running ----------------------------------------------------------------------------------------------------

    def carry_out(self, command: Command) -> None:
        try:
            decision = self.machine.decide(command, self.now)
        except Refusal as refusal:
            self._answer(command.address, refusal)
            return
        self.log += [self.codec.encode(record) for record in decision.records]
        self._finish(decision)

    def _finish(self, decision: Decision) -> None:
        for change in (*decision.records, *decision.notes):
            self.machine.apply(change)
        for timer in decision.timers:
            self.timers.pop(timer.name, None)
            if timer.at is not None and timer.command is not None:
                self.timers[timer.name] = (timer.at, timer.command)
        for reply in decision.replies:
            self._answer(reply.address, reply.value)

    def _answer(self, address: int, value: Any) -> None:
        if address == RUNNER:
            self._ordered(value)
        elif address:
            assert address not in self.replies, "answered twice"
            self.replies[address] = value

    def _ordered(self, order: MarkersDue | ProducerIdDue) -> None:
        if isinstance(order, MarkersDue):
            self.due.append(order)
            return
        facts = {name: getattr(order, name) for name in ("transactional_id", "producer_id", "producer_epoch")}
        self.carry_out(commands.AbortTimedOut(new_producer_id=self.new_id(), **facts))

    def new_id(self) -> int:
        self.next_producer_id += 1
        return self.next_producer_id

    def ask(self, kind: type[Command], **facts: Any) -> Any:
        """The reply; a refusal comes back as one. Whoever needs a producer id is given one, as by the service."""
        self._last_address += 1
        address = self._last_address
        self.carry_out(kind(address=Address(address), **facts))
        reply = self.replies[address]
        if isinstance(reply, NeedsProducerId):
            return self.ask(kind, **(facts | {"new_producer_id": self.new_id()}))
        return reply

    def pass_time(self, by_ms: int) -> None:
        end = self.now + by_ms
        while self.timers:
            name = min(self.timers, key=lambda name: self.timers[name][0])
            at, command = self.timers[name]
            if at > end:
                break
            del self.timers[name]
            self.now = Millis(max(self.now, at))
            self.carry_out(command)
        self.now = Millis(end)

    def set_clock(self, by_ms: int) -> None:
        self.machine.apply(ClockMoved(by_ms))

    def put(self, transaction: Transaction) -> None:
        """Have it in the log, however it came there."""
        record = TransactionKept(transaction.transactional_id, transaction)
        self.log.append(self.codec.encode(record))
        self.machine.apply(record)

    def replayed(self) -> TransactionMachine:
        machine = self._new_machine()
        for key, value in self.log:
            machine.apply(self.codec.decode(key, value))
        return machine

    def restart(self) -> None:
        """Another coordinator, under the next epoch: the orders of the former one are nobody's any more."""
        self.epoch += 1
        self.machine = self.replayed()
        self.timers.clear()
        self.due.clear()
        self.carry_out(Loaded())

    # What is asked ----------------------------------------------------------------------------------------------

    def init(
        self, name: str = "t", *, expected: tuple[int, int] | Producer | None = None, timeout_ms: int = TIMEOUT_MS
    ) -> Any:
        if isinstance(expected, Producer):
            expected = (expected.producer_id, expected.producer_epoch)
        return self.ask(commands.InitProducer, transactional_id=name, timeout_ms=timeout_ms, expected=expected)

    def add(self, producer: Producer, *partitions: int, name: str = "t", version: int = 2) -> Any:
        return self.ask(
            commands.AddPartitions,
            transactional_id=name,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            partitions=frozenset(map(part, partitions)),
            version=TransactionVersion(version),
        )

    def verify(self, producer: Producer, *partitions: int, name: str = "t") -> Any:
        return self.ask(
            commands.VerifyPartitions,
            transactional_id=name,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            partitions=frozenset(map(part, partitions)),
        )

    def end(self, producer: Producer, *, commits: bool, name: str = "t", version: int = 2) -> Any:
        return self.ask(
            commands.EndTransaction,
            transactional_id=name,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            commits=commits,
            version=TransactionVersion(version),
        )

    def write_markers(self) -> list[MarkersDue]:
        """Every partition writes its marker."""
        written, self.due = self.due, []
        for due in written:
            self.ask(commands.MarkersWritten, due=due)
        return written

    # What came of it --------------------------------------------------------------------------------------------

    def of(self, name: str = "t") -> Transaction:
        return self.machine.transactions[name]

    def state(self, name: str = "t") -> str:
        return self.of(name).state.label
