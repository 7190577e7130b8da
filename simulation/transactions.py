"""Producers that write within transactions, readers of committed records, and the ledger that judges both.

The ledger knows what nobody in the world does: which transactions were asked to commit at all. A record of one that
never was must never be shown to a reader of committed records; of one that was told to be committed all must be.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING, Any

from penstock.cluster import TRANSACTION_STATE
from penstock.coordinators.transactions import AddOrVerifyPartitions, TransactionVersion
from penstock.errors import (
    InvalidProducerEpoch,
    InvalidProducerIdMapping,
    InvalidTxnState,
    OutOfOrderSequence,
    ProducerFenced,
    Refusal,
    RequestTimedOut,
    TransactionAbortable,
)
from penstock.model import TopicPartition
from penstock.wire.records import iterate
from simulation.clients import REQUEST_TIMEOUT_S, a_batch
from simulation.disk import Stored
from simulation.oracle import Violation

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess
    from simulation.world import World

FATAL = (
    InvalidProducerEpoch,
    InvalidProducerIdMapping,
    InvalidTxnState,
    OutOfOrderSequence,
    ProducerFenced,
    TransactionAbortable,
)
PASSING = (Refusal, TimeoutError, ConnectionRefusedError)
TIMEOUT_MS = 4_000
ADDS_FROM = 12
VERIFIES = 11


class Ending(Enum):
    OPEN = "never asked to commit"
    ASKED = "asked to commit, and not answered"
    COMMITTED = "told to be committed"


class Ledger:
    def __init__(self) -> None:
        self.endings: dict[str, Ending] = {}
        self.written: dict[str, set[tuple[TopicPartition, int]]] = {}
        """Where acknowledged batches of each transaction are."""
        self.shown: dict[str, set[tuple[TopicPartition, int]]] = {}

    def show(self, transaction: str, at: TopicPartition, base_offset: int) -> None:
        """A reader of committed records saw a batch of it."""
        ending = self.endings[transaction]
        if ending is Ending.OPEN:
            raise Violation(f"{at}: a reader saw the batch at {base_offset} of {transaction}, which was {ending.value}")
        self.shown.setdefault(transaction, set()).add((at, base_offset))

    def check(self, transaction: str) -> None:
        """In the end, all of a transaction was shown or nothing of it, and all of it if it was told to be committed."""
        written, shown = self.written.get(transaction, set()), self.shown.get(transaction, set())
        ending = self.endings[transaction]
        if ending is Ending.COMMITTED and not written <= shown:
            raise Violation(f"{transaction} was committed, and these batches are not to be seen: {written - shown}")
        if ending is Ending.ASKED and shown and not written <= shown:
            raise Violation(f"{transaction} was committed in part: {written - shown} are not to be seen")


def check_apart(at: TopicPartition, batches: Iterable[Stored]) -> None:
    """Between two markers of a producer there is one transaction's work: whoever wrote to it after its marker would be
    found in the next one.
    """
    open_now: dict[int, str] = {}
    for header, data in batches:
        if header.is_control:
            open_now.pop(header.producer_id, None)
        elif header.is_transactional:
            name = transaction_of(data)
            other = open_now.setdefault(header.producer_id, name)
            if other != name:
                raise Violation(f"{at}: the batch at {header.base_offset} of {name} lies within {other}")


def transaction_of(batch: bytes) -> str:
    value = next(iterate(batch)).value
    assert value is not None
    return value.decode().rpartition("-")[0]


class GaveUp(Exception):
    """A batch was not acknowledged in time: the producer aborts."""


class TransactionalProducer:
    def __init__(self, world: "World", number: int, *, is_newer: bool) -> None:
        self.world = world
        self.dice: random.Random = world.dice
        self.address = -number
        self.id = f"t{number}"
        self.version = TransactionVersion.TV2 if is_newer else TransactionVersion.TV1
        self.is_stopped = False
        self.is_done = False
        self.completed = 0
        self._producer: Any = None
        self._sequences: dict[TopicPartition, int] = {}
        self._epochs: dict[TopicPartition, int] = {}
        self._count = 0
        self._records = 0
        self._questions = 0

    async def run(self) -> None:
        while not self.is_stopped:
            try:
                await self._transaction()
                self.completed += 1
            except FATAL as refused:
                self.world.note(f"{self.id} begins anew: {refused!r}")
                self.world.marks["transactional producer fenced"] += 1
                self._producer = None
            await asyncio.sleep(self.dice.random() * 0.05)
        self.is_done = True

    async def _transaction(self) -> None:
        if self._producer is None:
            self._take(
                await self._ask_coordinator(lambda it: it.init_producer(self.id, timeout_ms=TIMEOUT_MS, expected=None))
            )
        self._count += 1
        name = f"{self.id}-{self._count}"
        ledger = self.world.ledger
        ledger.endings[name] = Ending.OPEN
        added: set[TopicPartition] = set()
        try:
            for _ in range(self.dice.choice((1, 1, 2, 3))):
                at = self.dice.choice(self.world.partitions)
                if self.version < TransactionVersion.TV2 and at not in added:
                    await self._add(at)
                    added.add(at)
                await self._write(name, at)
            commits, is_whole = self.dice.random() < 0.7, True
        except GaveUp:
            self.world.marks["transaction given up"] += 1
            commits = is_whole = False
        if commits:
            ledger.endings[name] = Ending.ASKED
        former = self._producer
        self.world.note(f"{name} is to be {'committed' if commits else 'aborted'}, epoch {former.producer_epoch}")
        producer = await self._ask_coordinator(
            lambda it: it.end(
                self.id,
                producer_id=former.producer_id,
                producer_epoch=former.producer_epoch,
                commits=commits,
                version=self.version,
            )
        )
        if commits:
            ledger.endings[name] = Ending.COMMITTED
        self.world.note(f"{name} is {'committed' if commits else 'aborted'}: {producer}")
        self.world.marks["transaction committed" if commits else "transaction aborted"] += 1
        if self.version >= TransactionVersion.TV2:
            self._take(producer)
        elif not is_whole:
            # What became of the last batch nobody knows: a new epoch, whose sequences begin anew (KIP-360).
            self._take(await self._init((former.producer_id, former.producer_epoch)))

    async def _init(self, expected: tuple[int, int] | None) -> Any:
        return await self._ask_coordinator(
            lambda it: it.init_producer(self.id, timeout_ms=TIMEOUT_MS, expected=expected)
        )

    def _take(self, producer: Any) -> None:
        if self._producer is None or producer.producer_epoch != self._producer.producer_epoch:
            self._sequences = {}
        self._producer = producer

    async def _add(self, at: TopicPartition) -> None:
        asked = AddOrVerifyPartitions(
            transactional_id=self.id,
            producer_id=self._producer.producer_id,
            producer_epoch=self._producer.producer_epoch,
            partitions=[at],
            version=self.version,
        )
        await self._ask_coordinator(lambda it: it.add_partitions(asked))

    async def _write(self, name: str, at: TopicPartition) -> None:
        self._records += 1
        sequence = self._sequences.get(at, 0)
        batch = a_batch(
            name,
            range(self._records, self._records + 1),
            now=self.world.clock.now(),
            producer_id=self._producer.producer_id,
            producer_epoch=self._producer.producer_epoch,
            base_sequence=sequence,
            transactional=True,
        )
        version = ADDS_FROM if self.version >= TransactionVersion.TV2 else VERIFIES
        for _ in range(self.dice.choice((1, 1, 2, 6))):
            leader = self._leader_of(at)
            try:
                if leader > 0:
                    offset = await self.world.network.ask(
                        self.address,
                        leader,
                        lambda process: process.spawn(process.coordinators.produce(self.id, at, batch, version)),
                        timeout_s=REQUEST_TIMEOUT_S,
                    )
                    self._sequences[at] = sequence + 1
                    self.world.note(f"{name} wrote to {at} at {offset}, sequence {sequence}")
                    self.world.oracle.told(self.world.place_of(at), offset, batch)
                    self.world.ledger.written.setdefault(name, set()).add((at, offset))
                    return
            except FATAL:
                raise
            except PASSING as refused:
                self.world.note(f"{name} did not write to {at}, sequence {sequence}: {refused!r}")
            await asyncio.sleep(0.02 + self.dice.random() * 0.2)
        raise GaveUp

    async def _ask_coordinator(self, question: Callable[[Any], Any]) -> Any:
        self._questions += 1
        number = self._questions
        while True:
            coordinator = self._leader_of(TopicPartition(TRANSACTION_STATE, self.world.partitions[0].partition))
            try:
                if coordinator > 0:
                    return await self.world.network.ask(
                        self.address,
                        coordinator,
                        lambda process: process.spawn(self._in_turn(number, question, process)),
                        timeout_s=REQUEST_TIMEOUT_S * 2,
                    )
            except FATAL:
                raise
            except PASSING:
                pass
            await asyncio.sleep(0.02 + self.dice.random() * 0.2)

    async def _in_turn(self, number: int, question: Callable[[Any], Any], process: "BrokerProcess") -> Any:
        """Not if the client has asked another since. Before KIP-890 nothing in a late EndTxn tells it from that of the
        next transaction, with Kafka neither: clients ask one after the other over one connection.
        """
        if self.version < TransactionVersion.TV2 and number < self._questions:
            raise RequestTimedOut
        assert process.coordinators is not None
        return await question(process.coordinators.transactions)

    def _leader_of(self, at: TopicPartition) -> int:
        """As some broker knows it. No client goes back to an older leader epoch; who coordinates is told without one,
        and a client of the older protocol that is sent back to a former coordinator, which does not know yet that it
        is one, may be misled, here as with Kafka. Since KIP-890 the epoch in its own requests protects it.
        """
        process = self.world.some_process()
        topic = None if process is None or process.cluster is None else process.cluster.image.topics.get(at.topic)
        if topic is None:
            return -1
        image = topic.partitions[at.partition]
        if at.topic == TRANSACTION_STATE and self.version >= TransactionVersion.TV2:
            return image.leader
        if image.leader_epoch < self._epochs.get(at, 0):
            return -1
        self._epochs[at] = image.leader_epoch
        return image.leader


class CommittedReader:
    """Reads committed records from whatever replica it comes upon, and goes on from there."""

    def __init__(self, world: "World", number: int) -> None:
        self.world = world
        self.address = -number
        self.positions = dict.fromkeys(world.partitions, 0)
        self.is_stopped = False

    async def run(self) -> None:
        while not self.is_stopped:
            await self.read(self.world.dice.choice(self.world.partitions))
            await asyncio.sleep(0.05 + self.world.dice.random() * 0.3)

    async def read(self, at: TopicPartition, broker_id: int | None = None) -> None:
        process = self.world.some_process()
        target = broker_id if broker_id is not None else (process.id if process is not None else 0)
        if not target:
            return
        position = self.positions[at]
        try:
            shown, stable = await self.world.network.ask(
                self.address, target, lambda broker: broker.read_committed(at, position), timeout_s=REQUEST_TIMEOUT_S
            )
        except PASSING:
            return
        for transaction, base_offset in shown:
            self.world.marks["committed batch read"] += 1
            self.world.ledger.show(transaction, at, base_offset)
        self.positions[at] = max(position, stable)
