"""penstock txn ... against a running broker."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer
from tests.support.batches import TRANSACTIONAL, Rec, batch
from tests.support.clients import fresh_name, make_topic, read_to_end
from tests.support.command import Penstock
from tests.support.faults import eventually
from tests.support.kafka import ApacheKafka
from tests.support.raw import RawClient, port_of

from penstock.cli.exits import ExitCode

WITHIN_S = 120.0


def an_open_transaction(bootstrap: str, topic: str) -> tuple[str, Producer]:
    """A transaction with one record in the log."""
    name = fresh_name("txn")
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": name, "log_level": 0})
    producer.init_transactions(WITHIN_S)
    producer.begin_transaction()
    producer.produce(topic, b"undecided", partition=0)
    assert producer.flush(WITHIN_S) == 0
    return name, producer


def states(penstock: Penstock, *options: str) -> dict[str, str]:
    rows = json.loads(penstock("txn", "list", "--json", *options).out)
    return {row["transactional_id"]: row["state"] for row in rows}


def wait_for_state(penstock: Penstock, name: str, state: str) -> None:
    deadline = time.monotonic() + WITHIN_S
    while states(penstock).get(name) != state:
        assert time.monotonic() < deadline, states(penstock)
        time.sleep(0.05)


def test_transactions_are_listed_by_state_and_pattern(penstock: Penstock, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "listed")
    name, producer = an_open_transaction(bootstrap, topic)
    assert states(penstock)[name] == "Ongoing"
    assert name in states(penstock, "--state", "ongoing") and name not in states(penstock, "--state", "Empty")
    assert name in states(penstock, "--pattern", "txn-.*") and name not in states(penstock, "--pattern", "other-.*")
    assert name not in states(penstock, "--open-for", "1h")
    assert name in penstock("txn", "list").out
    producer.commit_transaction(WITHIN_S)
    wait_for_state(penstock, name, "CompleteCommit")


def test_an_open_transaction_is_described_with_its_partitions(penstock: Penstock, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "described")
    name, producer = an_open_transaction(bootstrap, topic)
    (facts,) = json.loads(penstock("txn", "describe", name, "--json").out)
    assert (facts["state"], facts["partitions"]) == ("Ongoing", [{"topic": topic, "partition": 0}])
    assert facts["open_for_ms"] >= 0 and facts["timeout_ms"] == 60_000
    told = penstock("txn", "describe", name).out
    assert f"{topic}-0" in told and "Ongoing" in told
    producer.abort_transaction(WITHIN_S)
    deadline = time.monotonic() + WITHIN_S
    while states(penstock)[name] != "CompleteAbort":
        assert time.monotonic() < deadline
    (facts,) = json.loads(penstock("txn", "describe", name, "--json").out)
    assert (facts["open_since"], facts["open_for_ms"]) == (None, None)
    missing = penstock("txn", "describe", fresh_name("nobody"))
    assert missing.code == ExitCode.NOT_FOUND and "penstock txn list" in missing.err


def test_abort_shows_first_then_fences_the_producer(penstock: Penstock, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "aborted")
    name, producer = an_open_transaction(bootstrap, topic)
    shown = penstock("txn", "abort", name)
    assert shown.code == ExitCode.OK and f"would abort the transaction of {name}" in shown.out
    assert states(penstock)[name] == "Ongoing"
    done = penstock("txn", "abort", name, "--yes")
    assert done.code == ExitCode.OK and f"{topic}-0" in done.out
    deadline = time.monotonic() + WITHIN_S
    while states(penstock)[name] in ("Ongoing", "PrepareAbort"):
        assert time.monotonic() < deadline
    with pytest.raises(KafkaException):
        producer.commit_transaction(WITHIN_S)
    assert read_to_end(bootstrap, topic, isolation_level="read_committed") == []
    again = penstock("txn", "abort", name)
    assert again.code == ExitCode.FAILED and "no open transaction" in again.err


def write_outside_any_transaction(bootstrap: str, topic: str, producer_id: int) -> None:
    """A batch that says it belongs to a transaction, though none was begun; taken where nobody verifies."""
    records = batch([Rec(b"lost")], attributes=TRANSACTIONAL, producer_id=producer_id, producer_epoch=0, sequence=0)
    request = {
        "transactional_id": "nobody",
        "acks": -1,
        "timeout_ms": 10_000,
        "topic_data": [{"name": topic, "partition_data": [{"index": 0, "records": records}]}],
    }

    def write() -> int:
        with RawClient(port_of(bootstrap)) as client:
            answer = client.request("Produce", 9, request)
        return int(answer["responses"][0]["partition_responses"][0]["error_code"])

    # Apache Kafka tells of a new topic before its own broker has heard that it leads it.
    eventually(lambda: write() == 0, "the batch is taken")


def test_what_hangs_is_found_and_ended_in_a_cluster_that_lets_it_happen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = {
        "transaction.partition.verification.enable": "false",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
    }
    with ApacheKafka(tmp_path, settings=settings) as kafka:
        penstock = Penstock(kafka.bootstrap, monkeypatch, capfd)
        topic = make_topic(kafka.bootstrap, "hanging")
        write_outside_any_transaction(kafka.bootstrap, topic, producer_id=77)
        (found,) = json.loads(penstock("txn", "hanging", "--open-for", "1s", "--json").out)
        assert (found["topic"], found["partition"], found["first_offset"], found["producer_id"]) == (topic, 0, 0, 77)
        place = ("--topic", topic, "--partition", "0", "--offset", "0")
        assert "would abort the transaction of producer 77" in penstock("txn", "abort", *place).out
        assert penstock("txn", "abort", *place, "--yes").code == ExitCode.OK
        assert json.loads(penstock("txn", "hanging", "--open-for", "1s", "--json").out) == []
        assert read_to_end(kafka.bootstrap, topic, isolation_level="read_committed") == []


def test_an_open_transaction_can_be_ended_on_one_partition(penstock: Penstock, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "ended-by-hand")
    _, producer = an_open_transaction(bootstrap, topic)
    done = penstock("txn", "abort", "--topic", topic, "--partition", "0", "--offset", "0", "--yes")
    assert done.code == ExitCode.OK, done.err
    assert read_to_end(bootstrap, topic, isolation_level="read_committed") == []
    del producer


def test_nothing_hangs_on_a_topic_whose_transactions_ended(penstock: Penstock, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "fine")
    _, producer = an_open_transaction(bootstrap, topic)
    assert json.loads(penstock("txn", "hanging", "--topic", topic, "--open-for", "0s", "--json").out) == []
    producer.commit_transaction(WITHIN_S)
    assert "no transaction hangs" in penstock("txn", "hanging", "--topic", topic, "--open-for", "0s").err


def test_aborting_a_transaction_that_is_not_there_says_so(penstock: Penstock, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "nothing-open")
    _, producer = an_open_transaction(bootstrap, topic)
    producer.commit_transaction(WITHIN_S)
    missing = penstock("txn", "abort", "--topic", topic, "--partition", "0", "--offset", "7", "--yes")
    assert missing.code == ExitCode.NOT_FOUND and f"{topic}-0" in missing.err
    assert penstock("txn", "abort").code in (ExitCode.OK, ExitCode.USAGE)
    assert penstock("txn", "abort", "some-id", "--topic", topic).code == ExitCode.USAGE
