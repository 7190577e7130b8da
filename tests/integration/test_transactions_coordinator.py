"""Transactions as their coordinator drives them: timeouts, restarts in the middle, Kafka's own producer and tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaException, Producer
from tests.support import java
from tests.support.clients import WITHIN_S, fresh_name, make_topic, read_decided
from tests.support.faults import Client, eventually
from tests.support.kept import kept_of
from tests.support.transactional import HandProducer, describe_transaction

from penstock.testing import RunningBroker, broker

PERFORMANCE = "org.apache.kafka.tools.ProducerPerformance"
TRANSACTIONS = "org.apache.kafka.tools.TransactionsCommand"
TEN_MINUTES_MS = 600_000
SETTINGS = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 200}


@pytest.fixture(scope="module")
def running() -> Iterator[RunningBroker]:
    with broker(SETTINGS) as made:
        yield made


def transactional_producer(bootstrap: str, transactional_id: str, **more: Any) -> Producer:
    settings = {"bootstrap.servers": bootstrap, "transactional.id": transactional_id, "linger.ms": 0}
    producer = Producer(settings | {name.replace("_", "."): value for name, value in more.items()})
    producer.init_transactions(WITHIN_S)
    return producer


def state_of(running: RunningBroker, transactional_id: str) -> str:
    with Client(running) as client:
        return str(describe_transaction(client, transactional_id)["transaction_state"])


def values(bootstrap: str, topic: str) -> list[bytes | None]:
    return [message.value() for message in read_decided(bootstrap, topic)]


def test_a_transaction_that_is_open_for_too_long_is_aborted_and_its_producer_fenced(running: RunningBroker) -> None:
    topic, name = make_topic(running.bootstrap, "late"), fresh_name("tx")
    late = transactional_producer(running.bootstrap, name, transaction_timeout_ms=1_000)
    late.begin_transaction()
    late.produce(topic, b"never seen")
    assert late.flush(WITHIN_S) == 0
    eventually(lambda: state_of(running, name) == "CompleteAbort", "its time is up")
    with pytest.raises(KafkaException):
        late.commit_transaction(WITHIN_S)
    after = transactional_producer(running.bootstrap, name)
    after.begin_transaction()
    after.produce(topic, b"seen")
    after.commit_transaction(WITHIN_S)
    assert values(running.bootstrap, topic) == [b"seen"]


def test_a_transaction_goes_on_after_a_restart_of_the_broker() -> None:
    with broker() as own:
        topic, name = make_topic(own.bootstrap, "restart"), fresh_name("tx")
        producer = transactional_producer(own.bootstrap, name)
        for number in range(3):
            producer.begin_transaction()
            producer.produce(topic, b"before %d" % number)
            assert producer.flush(WITHIN_S) == 0
            own.restart()
            producer.produce(topic, b"after %d" % number)
            producer.commit_transaction(WITHIN_S)
        assert values(own.bootstrap, topic) == [
            b"%s %d" % (word, number) for number in range(3) for word in (b"before", b"after")
        ]


def test_an_end_that_was_settled_is_completed_by_the_coordinator_after_a_crash() -> None:
    with broker() as own:
        topic, names = make_topic(own.bootstrap, "crash"), [fresh_name("tx") for _ in range(20)]
        for name in names:
            with Client(own) as client:
                producer = HandProducer(client, name)
                producer.produce(topic, name.encode())
                producer.end(commits=True)
        own.kill()
        own.start()
        eventually(lambda: {state_of(own, name) for name in names} == {"CompleteCommit"}, "all ends are complete")
        assert values(own.bootstrap, topic) == [name.encode() for name in names]


def test_kafkas_own_producer_gets_a_higher_epoch_with_every_transaction(running: RunningBroker) -> None:
    topic, name = make_topic(running.bootstrap, "java-tx"), fresh_name("tx")
    java.run(
        PERFORMANCE,
        *("--topic", topic, "--num-records", "300", "--record-size", "10", "--throughput", "1000"),
        *("--transactional-id", name, "--transaction-duration-ms", "20", "--bootstrap-server", running.bootstrap),
        check=True,
    )
    eventually(lambda: state_of(running, name) == "CompleteCommit", "the last transaction is complete")
    assert len(values(running.bootstrap, topic)) == 300
    with Client(running) as client:
        # How many transactions the tool makes depends on how fast it is; each leaves one marker behind its records.
        transactions = client.latest(topic) - 300
        assert transactions > 0
        assert describe_transaction(client, name)["producer_epoch"] == transactions


def test_kafkas_tool_lists_describes_and_aborts_transactions(running: RunningBroker) -> None:
    topic, name = make_topic(running.bootstrap, "tool-tx"), fresh_name("tx")

    def tool(*arguments: str) -> str:
        return java.run(TRANSACTIONS, "--bootstrap-server", running.bootstrap, *arguments).stdout

    with Client(running) as client:
        producer = HandProducer(client, name, timeout_ms=TEN_MINUTES_MS)
        producer.produce(topic, b"open")
        listed = tool("list", "--transactional-id-pattern", f"{name}.*")
        assert re.search(rf"^{name}\s+1\s+{producer.producer_id}\s+Ongoing", listed, re.MULTILINE)
        told = tool("describe", "--transactional-id", name)
        row = rf"^1\s+{name}\s+{producer.producer_id}\s+0\s+Ongoing\s+{TEN_MINUTES_MS}\s+\d+\s+\d+\s+{topic}-0"
        assert re.search(row, told, re.MULTILINE)
        tool("abort", "--topic", topic, "--partition", "0", "--start-offset", "0")
        assert values(running.bootstrap, topic) == []


def test_kafkas_formatter_reads_the_topic_that_transactions_are_kept_in(running: RunningBroker) -> None:
    topic, name = make_topic(running.bootstrap, "format-tx", partitions=2), fresh_name("tx")
    with Client(running) as client:
        producer = HandProducer(client, name)
        producer.produce(topic, b"one")
        producer.produce(topic, b"two", partition=1)
        producer.end(commits=True)
        eventually(lambda: describe_transaction(client, name)["transaction_state"] == "CompleteCommit", "complete")
    kept = kept_of_transaction(running.bootstrap, name)
    assert [each["transactionStatus"] for each in kept] == [0, 1, 1, 2, 4]
    assert [each["producerEpoch"] for each in kept] == [0, 0, 0, 1, 1]
    assert kept[3]["transactionPartitions"] == [{"topic": topic, "partitionIds": [0, 1]}]
    assert kept[3]["clientTransactionVersion"] == 2 and kept[4]["transactionPartitions"] == []


def kept_of_transaction(bootstrap: str, transactional_id: str) -> list[Any]:
    records = kept_of(bootstrap, "__transaction_state", "TransactionLogMessageFormatter", transactional_id)
    return [each["value"]["data"] for each in records if each["key"]["data"]["transactionalId"] == transactional_id]
