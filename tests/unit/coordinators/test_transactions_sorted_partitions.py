"""Large transactions are laid out for the log as small ones are, however they grew."""

import random

from tests.support.machines import START
from tests.support.transactions import TransactionWorld, part

from penstock.coordinators.transactions.sorted_partitions import LARGE, REMEMBERED_MAX, SortedPartitions
from penstock.coordinators.transactions.state import Transaction, TransactionState
from penstock.model import TopicPartition

TOPICS = ("orders", "invoices", "archive")


def a_transaction(*partitions: TopicPartition, name: str = "t") -> Transaction:
    return Transaction(
        transactional_id=name,
        producer_id=1,
        timeout_ms=60_000,
        updated_at=START,
        state=TransactionState.ONGOING,
        partitions=frozenset(partitions),
    )


def flat(layouts: SortedPartitions, transaction: Transaction) -> list[TopicPartition]:
    laid_out = [part(index, each.topic) for each in layouts.of(transaction) for index in each.partition_ids]
    assert len({each.topic for each in layouts.of(transaction)}) == len(layouts.of(transaction))
    return laid_out


def test_partitions_added_one_by_one_are_in_order_at_every_step() -> None:
    dice, layouts = random.Random(7), SortedPartitions()
    places = [part(index, topic) for index in range(LARGE) for topic in TOPICS]
    dice.shuffle(places)
    for count in range(1, len(places) + 1):
        assert flat(layouts, a_transaction(*places[:count])) == sorted(places[:count])


def test_what_was_laid_out_and_then_not_written_is_forgotten() -> None:
    layouts = SortedPartitions()
    some = [part(index) for index in range(LARGE)]
    flat(layouts, a_transaction(*some, part(LARGE)))
    assert flat(layouts, a_transaction(*some, part(LARGE + 1))) == [*some, part(LARGE + 1)]


def test_the_next_transaction_begins_anew() -> None:
    layouts = SortedPartitions()
    some = [part(index) for index in range(LARGE)]
    flat(layouts, a_transaction(*some))
    assert flat(layouts, a_transaction(part(3))) == [part(3)]
    assert flat(layouts, a_transaction(*some, part(99))) == [*some, part(99)]


def test_more_large_transactions_than_are_remembered_are_laid_out_too() -> None:
    layouts = SortedPartitions()
    some = [part(index) for index in range(LARGE)]
    for count in range(3):
        for number in range(REMEMBERED_MAX + 5):
            places = [*some, *(part(LARGE + more) for more in range(count))]
            assert flat(layouts, a_transaction(*places, name=f"t{number}")) == places


def test_a_transaction_of_many_partitions_is_read_back_whole() -> None:
    world = TransactionWorld()
    producer = world.init()
    for index in reversed(range(2 * LARGE)):
        world.add(producer, index)
    assert world.replayed().transactions["t"] == world.of()
