"""A transaction machine with a clock, a log in memory and a world to write markers to: commands in, replies out."""

from typing import Any

from tests.support.machines import MachineWorld

from penstock.coordinators.decision import RUNNER, Command, Decision, Loaded
from penstock.coordinators.transactions import commands
from penstock.coordinators.transactions.commands import MarkersDue, NeedsProducerId, Producer, ProducerIdDue
from penstock.coordinators.transactions.machine import TransactionMachine
from penstock.coordinators.transactions.records import TransactionCodec, TransactionRecord
from penstock.coordinators.transactions.state import Transaction, TransactionLimits, TransactionVersion
from penstock.model import PartitionIndex, TopicPartition

TIMEOUT_MS = 60_000


def part(index: int, topic: str = "orders") -> TopicPartition:
    return TopicPartition(topic, PartitionIndex(index))


class TransactionWorld(MachineWorld):
    """Also what the service does: markers are written when a test says so (`write_markers`)."""

    machine: TransactionMachine
    machine_type = TransactionMachine

    def __init__(self, limits: TransactionLimits | None = None, *, next_producer_id: int = 1_000) -> None:
        super().__init__()
        self.limits = limits or TransactionLimits()
        self.codec = TransactionCodec()
        self.log: list[tuple[bytes, bytes | None]] = []
        self.epoch = 0
        self.machine = self._new_machine()
        self.due: list[MarkersDue] = []
        self.next_producer_id = next_producer_id

    def _new_machine(self) -> TransactionMachine:
        return self.machine_type(self.limits, coordinator_index=7, coordinator_epoch=self.epoch)

    # Running ----------------------------------------------------------------------------------------------------

    def _append(self, decision: Decision) -> None:
        self.log += [self.codec.encode(record) for record in decision.records]

    def _answer(self, address: int, value: Any) -> None:
        if address == RUNNER:
            self._ordered(value)
        else:
            super()._answer(address, value)

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
        reply = self.replies[self.send(kind, **facts)]
        if isinstance(reply, NeedsProducerId):
            return self.ask(kind, **(facts | {"new_producer_id": self.new_id()}))
        return reply

    def put(self, transaction: Transaction) -> None:
        """Have it in the log, however it came there."""
        record = TransactionRecord(transaction.transactional_id, transaction)
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
