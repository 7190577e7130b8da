"""Records in transactions, as producers write them and readers of committed records see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer
from tests.support.clients import WITHIN_S, fresh_name, make_topic, read_decided, read_to_end
from tests.support.faults import Client, eventually, fetch_body, program
from tests.support.transactional import HandProducer, describe_producers, describe_transaction, stable_end

from penstock.testing import RunningBroker, broker

TEN_MINUTES_MS = 600_000
COMMITTED, UNCOMMITTED = 1, 0
FENCED = 47  # INVALID_PRODUCER_EPOCH


@pytest.fixture(scope="module")
def running() -> Iterator[RunningBroker]:
    with broker() as made:
        yield made


@pytest.fixture
def client(running: RunningBroker) -> Iterator[Client]:
    with Client(running) as made:
        yield made


def values(bootstrap: str, topic: str, *, isolation: str = "read_committed", partition: int = 0) -> list[bytes | None]:
    if isolation == "read_committed":
        return [message.value() for message in read_decided(bootstrap, topic, partition)]
    return [message.value() for message in read_to_end(bootstrap, topic, partition, isolation_level=isolation)]


def transactional_producer(bootstrap: str, transactional_id: str) -> Producer:
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": transactional_id, "linger.ms": 0})
    producer.init_transactions(WITHIN_S)
    return producer


# librdkafka -------------------------------------------------------------------------------------------------------


def test_readers_see_what_was_committed_and_nothing_that_was_aborted(running: RunningBroker) -> None:
    topic = make_topic(running.bootstrap, "committed", partitions=2)
    producer = transactional_producer(running.bootstrap, fresh_name("tx"))
    for number in range(8):
        producer.begin_transaction()
        for partition in (0, 1):
            producer.produce(topic, b"%d of %d" % (number, partition), partition=partition)
        producer.flush(WITHIN_S)
        if number % 2:
            producer.commit_transaction(WITHIN_S)
        else:
            producer.abort_transaction(WITHIN_S)
    for partition in (0, 1):
        wanted = [b"%d of %d" % (number, partition) for number in range(8)]
        assert values(running.bootstrap, topic, partition=partition) == wanted[1::2]
        assert values(running.bootstrap, topic, partition=partition, isolation="read_uncommitted") == wanted


def test_a_producer_that_is_replaced_writes_no_more(running: RunningBroker) -> None:
    topic, name = make_topic(running.bootstrap, "zombie"), fresh_name("tx")
    zombie = transactional_producer(running.bootstrap, name)
    zombie.begin_transaction()
    zombie.produce(topic, b"of the zombie")
    assert zombie.flush(WITHIN_S) == 0
    successor = transactional_producer(running.bootstrap, name)
    zombie.produce(topic, b"also of the zombie")
    with pytest.raises(KafkaException):
        zombie.commit_transaction(WITHIN_S)
    successor.begin_transaction()
    successor.produce(topic, b"of the successor")
    successor.commit_transaction(WITHIN_S)
    assert values(running.bootstrap, topic) == [b"of the successor"]


# By hand ----------------------------------------------------------------------------------------------------------


def test_an_open_transaction_holds_readers_of_committed_records_back(running: RunningBroker, client: Client) -> None:
    topic = make_topic(running.bootstrap, "open")
    producer = HandProducer(client, fresh_name("tx"))
    assert producer.produce(topic, b"a", b"b")["base_offset"] == 0
    assert (stable_end(client, topic), stable_end(client, topic, isolation_level=UNCOMMITTED)) == (0, 2)
    held = client.fetch(topic, 0, isolation_level=COMMITTED)
    assert (held["records"], held["high_watermark"], held["last_stable_offset"]) == (b"", 2, 0)
    (row,) = describe_producers(client, topic)
    assert (row["producer_id"], row["current_txn_start_offset"], row["last_sequence"]) == (producer.producer_id, 0, 1)
    producer.end(commits=True)
    eventually(lambda: stable_end(client, topic) == 3, "the transaction is decided")
    (row,) = describe_producers(client, topic)
    assert (row["producer_epoch"], row["current_txn_start_offset"]) == (producer.epoch, -1)
    assert values(running.bootstrap, topic) == [b"a", b"b"]


def test_a_parked_reader_is_answered_by_the_end_of_the_transaction(running: RunningBroker, client: Client) -> None:
    """It waits for ten minutes, and the client for one."""
    topic = make_topic(running.bootstrap, "parked")
    producer = HandProducer(client, fresh_name("tx"))
    producer.produce(topic, b"a")
    with Client(running) as reader:
        asked = reader.send("Fetch", 11, fetch_body(topic, 0, isolation_level=COMMITTED, max_wait_ms=TEN_MINUTES_MS))
        producer.produce(topic, b"b")
        producer.end(commits=False)
        answer = reader.receive("Fetch", 11, asked)["responses"][0]["partitions"][0]
    assert answer["aborted_transactions"] == [{"producer_id": producer.producer_id, "first_offset": 0}]
    assert (answer["last_stable_offset"], answer["high_watermark"]) == (3, 3)


def test_a_fetch_names_only_the_aborted_transactions_that_it_holds(running: RunningBroker, client: Client) -> None:
    topic = make_topic(running.bootstrap, "many-aborts")
    producer = HandProducer(client, fresh_name("tx"))
    for _ in range(40):
        assert producer.produce(topic, b"x" * 2_000)["error_code"] == 0
        producer.end(commits=False)
    eventually(lambda: stable_end(client, topic) == 80, "the transaction is decided")
    first = client.fetch(topic, 0, isolation_level=COMMITTED, partition_max_bytes=5_000)
    assert 1 <= len(first["aborted_transactions"]) <= 6, "what follows the slice is the next fetch's"
    last = client.fetch(topic, 78, isolation_level=COMMITTED)
    assert [each["first_offset"] for each in last["aborted_transactions"]] == [78]


def test_records_deleted_from_under_an_open_transaction_leave_the_rest_undecided(
    running: RunningBroker, client: Client
) -> None:
    topic = make_topic(running.bootstrap, "deleted-under")
    producer = HandProducer(client, fresh_name("tx"))
    for value in (b"a", b"b", b"c"):
        producer.produce(topic, value)
    assert client.delete_records(topic, 2)["low_watermark"] == 2
    answer = client.fetch(topic, 2, isolation_level=COMMITTED)
    assert (answer["log_start_offset"], answer["last_stable_offset"], answer["records"]) == (2, 2, b"")
    assert stable_end(client, topic) == 2
    producer.end(commits=True)
    eventually(lambda: stable_end(client, topic) == 4, "the transaction is decided")


def test_an_older_epoch_is_refused_on_the_partition(running: RunningBroker, client: Client) -> None:
    topic, name = make_topic(running.bootstrap, "fenced"), fresh_name("tx")
    former = HandProducer(client, name)
    former.produce(topic, b"former")
    HandProducer(client, name)  # aborts what is open, and fences
    assert former.produce(topic, b"late")["error_code"] == FENCED
    assert values(running.bootstrap, topic) == []


# Kills ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("commits", [True, False])
def test_a_transaction_that_a_kill_interrupts_goes_on_after_it(tmp_path: Path, commits: bool) -> None:
    with program(tmp_path) as running:
        topic = make_topic(running.bootstrap, "killed")
        with Client(running) as client:
            producer = HandProducer(client, "tx")
            producer.produce(topic, b"before")
            running.kill()
        running.start()
        with Client(running) as client:
            producer.client = client
            assert stable_end(client, topic) == 0, "as undecided as it was"
            (row,) = describe_producers(client, topic)
            assert (row["producer_id"], row["current_txn_start_offset"]) == (producer.producer_id, 0)
            eventually(lambda: producer.produce(topic, b"after")["error_code"] == 0, "the coordinator is loaded")
            producer.end(commits=commits)
            eventually(lambda: stable_end(client, topic) == 3, "the transaction is decided")
            # Killed before it has noted that all markers are written, a coordinator rightly writes them again.
            ended = "CompleteCommit" if commits else "CompleteAbort"
            eventually(lambda: describe_transaction(client, "tx")["transaction_state"] == ended, "and over")
            running.kill()
        running.start()
        assert values(running.bootstrap, topic) == ([b"before", b"after"] if commits else [])
        with Client(running) as client:
            assert stable_end(client, topic) == 3
