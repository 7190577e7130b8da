"""Random producers, lost answers, late markers, timeouts and changes of coordinator on the transaction machine, from a
seed that a failure prints.

After every step: under one producer id no epoch has fallen and none was given to two producers, an end once settled is
completed as it was settled and in no other way, and whoever was told that its end is settled finds it so. Now and then
a machine that replays the log equals the one that wrote it. In the end, once time has passed and markers get through,
no transaction is open or unfinished.
"""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.transactions import TransactionWorld, part

from penstock.coordinators.decision import Decision
from penstock.coordinators.transactions import Producer, commands
from penstock.coordinators.transactions.commands import MarkersDue
from penstock.coordinators.transactions.machine import TransactionMachine
from penstock.coordinators.transactions.records import TransactionCodec, TransactionRecord
from penstock.coordinators.transactions.state import (
    NO_EPOCH,
    PREPARED,
    Transaction,
    TransactionLimits,
    TransactionState,
    TransactionVersion,
)
from penstock.errors import Refusal
from penstock.model import Millis, TopicPartition

STEPS = 200
LIMITS = TransactionLimits(timeouts_interval_ms=1_000, id_expiration_ms=600_000, expiry_interval_ms=60_000)
NAMES = ("a", "b")
NEARLY_USED_UP = 32_764

Who = tuple[int, int]


class CompletesAnyEnd(TransactionMachine):
    """The planted bug: word that markers are written is taken for the end under way, whichever end it is about.

    So the markers of an earlier commit complete a later transaction whose own partitions have heard of nothing.
    """

    def decide(self, command: Any, now: Millis) -> Decision:
        if isinstance(command, commands.MarkersWritten):
            transaction = self.transactions.get(command.due.transactional_id)
            if transaction is not None and transaction.state in PREPARED:
                command = msgspec.structs.replace(command, due=self._ends.markers_due(transaction))
        return super().decide(command, now)


class Client:
    """What a producer believes, which may be out of date: answers get lost."""

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version
        self.producer: Producer | None = None
        self.ending: tuple[Producer, bool] | None = None
        """An end that was asked for and not answered: it is asked for again, as it was."""


class Simulation:
    def __init__(self, seed: int, machine_type: type[TransactionMachine] = TransactionMachine) -> None:
        self.dice = random.Random(seed)
        self.world = TransactionWorld(LIMITS)
        self.world.machine_type = machine_type
        self.world.restart()
        self.clients: list[Client] = []
        self.epochs: dict[int, int] = {}
        self.given: dict[Who, Client] = {}
        self.marked: dict[Who, set[TopicPartition]] = {}
        """Partitions with a marker, by producer id and the epoch of the marker."""
        self.settled: dict[Who, bool] = {}
        self.expected: dict[Who, frozenset[TopicPartition]] = {}
        """Of ends that are settled: whether they commit, and where."""
        self.late: list[MarkersDue] = []
        self.repeated: list[MarkersDue] = []
        """Delivered already, not long ago: word of them may come once more."""

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            self.check()
        self.settle()

    # Steps ------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        dice = self.dice
        match dice.randrange(12):
            case 0:
                self.clients = [*self.clients[-4:], Client(dice.choice(NAMES), dice.choice((0, 2)))]
                self.init(self.clients[-1], None)
            case 1 if self.clients:
                client = dice.choice(self.clients)
                self.init(client, client.producer)
            case 2 | 3 | 4 if self.clients:
                self.add(dice.choice(self.clients))
            case 5 | 6 | 7 if self.clients:
                self.end(dice.choice(self.clients), commits=dice.random() < 0.7)
            case 8 | 9:
                self.markers_get_through()
            case 10:
                self.world.pass_time(dice.choice((10, 500, 2_000, 5_000, 700_000)))
            case 11 if dice.random() < 0.3:
                self.late += self.world.due  # still on their way from the former coordinator
                self.world.restart()
            case _:
                self.nearly_use_up_epochs()

    def init(self, client: Client, expected: Producer | None) -> None:
        answer = self.world.init(client.name, expected=expected, timeout_ms=self.dice.choice((1_500, 4_000)))
        if isinstance(answer, Producer) and not self.is_lost():
            client.producer, client.ending = answer, None
            self.take(client, answer)

    def add(self, client: Client) -> None:
        if client.producer is not None and client.ending is None:
            self.world.add(client.producer, *self.some_partitions(), name=client.name, version=client.version)

    def end(self, client: Client, *, commits: bool) -> None:
        if client.producer is None:
            return
        producer, commits = client.ending or (client.producer, commits)
        client.ending = (producer, commits)
        answer = self.world.end(producer, commits=commits, name=client.name, version=client.version)
        if self.repeated and self.dice.random() < 0.3:  # the worst moment: an end is settled, and no marker is written
            self.world.ask(commands.MarkersWritten, due=self.dice.choice(self.repeated))
        if self.is_lost():
            return
        if isinstance(answer, Producer):
            self.check_told(client, producer, commits)
            client.producer, client.ending = answer, None
            self.take(client, answer)
        elif not answer.retriable:
            client.ending = None

    def markers_get_through(self, *, some: bool = True) -> None:
        """What is on its way, in any order, now and then twice: requests are repeated when answers are lost."""
        world, dice = self.world, self.dice
        on_their_way = [*world.due, *self.late]
        world.due, self.late = [], []
        for due in dice.sample(on_their_way, len(on_their_way)):
            if some and dice.random() < 0.3:
                self.late.append(due)
                continue
            self.marked.setdefault((due.producer_id, due.producer_epoch), set()).update(due.partitions)
            world.ask(commands.MarkersWritten, due=due)
            self.repeated = [*self.repeated[-3:], due]
            if some and dice.random() < 0.2:
                self.late.append(due)

    def nearly_use_up_epochs(self) -> None:
        for name, transaction in self.world.machine.transactions.items():
            if transaction.state is TransactionState.EMPTY and transaction.producer_epoch < NEARLY_USED_UP:
                self.world.put(msgspec.structs.replace(self.world.of(name), producer_epoch=NEARLY_USED_UP))
                return

    def some_partitions(self) -> list[int]:
        return self.dice.sample(range(4), self.dice.randrange(1, 4))

    def is_lost(self) -> bool:
        return self.dice.random() < 0.15

    # What must hold ---------------------------------------------------------------------------------------------

    def take(self, client: Client, producer: Producer) -> None:
        who = (producer.producer_id, producer.producer_epoch)
        assert self.given.setdefault(who, client) is client, f"{who} was given to two producers"

    def check_told(self, client: Client, producer: Producer, commits: bool) -> None:
        transaction = self.world.of(client.name)
        ends = {
            True: (TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT),
            False: (TransactionState.PREPARE_ABORT, TransactionState.COMPLETE_ABORT),
        }
        assert transaction.state in ends[commits], f"{producer} was told of an end that is not"

    def check(self) -> None:
        for transaction in self.world.machine.transactions.values():
            self.check_epoch(transaction)
            self.check_end(transaction)
        if self.dice.random() < 0.1:
            self.check_replay()

    def check_replay(self) -> None:
        replayed = self.world.replayed()
        live = self.world.machine.transactions
        assert replayed.transactions == live
        assert replayed.deadlines == self.world.machine.deadlines

    def check_epoch(self, transaction: Transaction) -> None:
        producer_id, epoch = transaction.producer_id, transaction.producer_epoch
        assert epoch >= self.epochs.get(producer_id, NO_EPOCH), "an epoch fell"
        self.epochs[producer_id] = epoch

    def check_end(self, transaction: Transaction) -> None:
        """With version 2 ends have an epoch of their own, by which they can be told apart for ever."""
        if not transaction.client_version.bumps_epoch:
            return
        if transaction.state in PREPARED:
            who = (transaction.producer_id, transaction.producer_epoch)
            assert self.settled.setdefault(who, transaction.is_committing) is transaction.is_committing
            self.expected[who] = transaction.partitions
        elif transaction.state in (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT):
            for who in self.ends_of(transaction):
                assert self.settled[who] is (transaction.state is TransactionState.COMPLETE_COMMIT), "an end changed"
                assert self.expected[who] <= self.marked.get(who, set()), "complete, and a partition has no marker"

    def ends_of(self, transaction: Transaction) -> list[Who]:
        who = (transaction.producer_id, transaction.producer_epoch)
        return [who] if who in self.settled else []

    def settle(self) -> None:
        for _ in range(3):
            self.world.pass_time(10_000)
            self.markers_get_through(some=False)
            self.check()
        self.check_replay()
        states = {each.state for each in self.world.machine.transactions.values()}
        assert not states & {TransactionState.ONGOING, *PREPARED}, "a transaction never ends"
        assert not self.world.machine.deadlines


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_invariants_hold_under_random_commands_and_changes_of_coordinator(start: int) -> None:
    for seed in range(start, start + 50):
        try:
            Simulation(seed).run()
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_a_coordinator_that_mixes_up_ends_is_found_out() -> None:
    def is_found(seed: int) -> bool:
        try:
            Simulation(seed, CompletesAnyEnd).run()
        except AssertionError:
            return True
        return False

    assert sum(is_found(seed) for seed in range(50)) > 10


names = st.text(max_size=12)
transactions = st.builds(
    Transaction,
    transactional_id=names,
    producer_id=st.integers(0, 2**63 - 1),
    producer_epoch=st.integers(0, 2**15 - 1),
    last_epoch=st.integers(-1, 2**15 - 1),
    previous_producer_id=st.integers(-1, 2**63 - 1),
    next_producer_id=st.integers(-1, 2**63 - 1),
    timeout_ms=st.integers(1, 2**31 - 1),
    state=st.sampled_from([state for state in TransactionState if state is not TransactionState.EMPTY]),
    partitions=st.frozensets(st.builds(part, st.integers(0, 99), names), max_size=5),
    started_at=st.integers(-1, 2**60).map(Millis),
    updated_at=st.integers(0, 2**60).map(Millis),
    client_version=st.sampled_from(TransactionVersion),
)


@given(transactions, st.booleans())
def test_what_is_kept_is_found_again(transaction: Transaction, is_forgotten: bool) -> None:
    record = TransactionRecord(transaction.transactional_id, None if is_forgotten else transaction)
    codec = TransactionCodec()
    assert codec.decode(*codec.encode(record)) == record


def test_a_time_is_not_taken_for_an_epoch() -> None:
    """A value without tags ends with when its transaction began, and bytes of that may be any."""
    began = Millis(0x904E0207)
    transaction = Transaction(
        transactional_id="t",
        producer_id=1,
        producer_epoch=7,
        timeout_ms=1,
        state=TransactionState.ONGOING,
        started_at=began,
        updated_at=began,
    )
    codec = TransactionCodec()
    key, value = codec.encode(TransactionRecord("t", transaction))
    assert value is not None and value[-5:] == b"\x90\x4e\x02\x07\x00"
    assert codec.decode(key, value) == TransactionRecord("t", transaction)


def test_a_record_of_another_kind_is_let_be() -> None:
    assert TransactionCodec().decode(b"\x00\x03\x00\x01t", b"\x00\x00") is None
    assert TransactionCodec().decode(b"\x00\x00\x00\x01t", b"\x00\x09") is None


def test_a_refusal_changes_nothing() -> None:
    world = TransactionWorld()
    producer = world.init()
    before = world.of()
    assert isinstance(world.end(producer, commits=True), Refusal) and world.of() == before
