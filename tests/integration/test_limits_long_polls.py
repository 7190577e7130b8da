"""Fetches that wait: each is woken by what it waits for, costs nothing meanwhile, and never waits for what is gone.

Whoever waits here waits for ten minutes, far beyond the client's patience: an answer came because of what happened.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.support.batches import describe
from tests.support.clients import fresh_name
from tests.support.faults import UNKNOWN_TOPIC, Client, connections, eventually, fetch_body, metric, one

from penstock.testing import RunningBroker

TEN_MINUTES_MS = 600_000
UNKNOWN_TOPIC_ID = 100


@pytest.fixture
def topic(penstock_session_broker: RunningBroker) -> Iterator[str]:
    name = fresh_name("awaited")
    with Client(penstock_session_broker) as client:
        assert client.create_topic(name) == 0
    yield name


def park(client: Client, topic: str, offset: int = 0, *, min_bytes: int = 1) -> int:
    return client.send("Fetch", 11, fetch_body(topic, offset, max_wait_ms=TEN_MINUTES_MS, min_bytes=min_bytes))


def answer(client: Client, sent: int) -> dict[str, object]:
    response = client.receive("Fetch", 11, sent)
    partition: dict[str, object] = response["responses"][0]["partitions"][0]
    return partition


def values(records: object) -> list[bytes]:
    assert isinstance(records, bytes)
    return [value for each in describe(records) or [] for value in each["values"]]


def reads(broker: RunningBroker, topic: str) -> float:
    return metric(broker, "kafka_server_brokertopicmetrics_totalfetchrequests_total", topic=topic)


def test_everybody_who_waits_is_woken_by_one_record(penstock_session_broker: RunningBroker, topic: str) -> None:
    with ExitStack() as closing:
        waiting = [closing.enter_context(Client(penstock_session_broker)) for _ in range(100)]
        sent = [park(each, topic) for each in waiting]
        writer = closing.enter_context(Client(penstock_session_broker))
        eventually(lambda: reads(penstock_session_broker, topic) >= 100, "all have looked once")
        writer.produce(topic, one(b"now"))
        for client, number in zip(waiting, sent, strict=True):
            assert values(answer(client, number)["records"]) == [b"now"]


def test_who_waits_does_not_look_again_until_something_happens(
    penstock_session_broker: RunningBroker, topic: str
) -> None:
    with Client(penstock_session_broker) as waiting, Client(penstock_session_broker) as writer:
        sent = park(waiting, topic)
        eventually(lambda: reads(penstock_session_broker, topic) == 1, "it has looked")
        time.sleep(1)
        assert reads(penstock_session_broker, topic) == 1, "and no more than once"
        writer.produce(topic, one(b"now"))
        assert values(answer(waiting, sent)["records"]) == [b"now"]
        assert reads(penstock_session_broker, topic) == 2


def test_a_fetch_with_a_minimum_waits_for_all_of_it(penstock_session_broker: RunningBroker, topic: str) -> None:
    with Client(penstock_session_broker) as waiting, Client(penstock_session_broker) as writer:
        sent = park(waiting, topic, min_bytes=3_000)
        for number in range(4):
            writer.produce(topic, one(b"%d" % number + bytes(900)))
        found = values(answer(waiting, sent)["records"])
        assert [value[:1] for value in found] == [b"0", b"1", b"2", b"3"]


def test_a_request_behind_a_waiting_fetch_is_carried_out_after_it(
    penstock_session_broker: RunningBroker, topic: str
) -> None:
    with Client(penstock_session_broker) as client, Client(penstock_session_broker) as writer:
        fetch = park(client, topic)
        produce = client.send(
            "Produce", 9, {"acks": -1, "timeout_ms": 30_000, "topic_data": [produce_data(topic, one(b"own"))]}
        )
        eventually(lambda: reads(penstock_session_broker, topic) == 1, "it waits")
        writer.produce(topic, one(b"another's"))
        assert values(answer(client, fetch)["records"]) == [b"another's"]
        outcome = client.receive("Produce", 9, produce)["responses"][0]["partition_responses"][0]
        assert (outcome["error_code"], outcome["base_offset"]) == (0, 1)


def produce_data(topic: str, records: bytes) -> dict[str, object]:
    return {"name": topic, "partition_data": [{"index": 0, "records": records}]}


def test_a_fetch_of_a_topic_that_is_deleted_is_told(penstock_session_broker: RunningBroker, topic: str) -> None:
    with (
        Client(penstock_session_broker) as by_name,
        Client(penstock_session_broker) as by_id,
        Client(penstock_session_broker) as admin,
    ):
        asked = {"topics": [{"topic_id": bytes(16), "name": topic}]}
        (described,) = admin.request("Metadata", 12, asked)["topics"]
        sent = park(by_name, topic)
        wanted = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
        topics = [{"topic_id": described["topic_id"], "partitions": [wanted]}]
        sent_by_id = by_id.send("Fetch", 13, {"max_wait_ms": TEN_MINUTES_MS, "min_bytes": 1, "topics": topics})
        eventually(lambda: reads(penstock_session_broker, topic) == 2, "both wait")
        admin.delete_topic(topic)
        assert answer(by_name, sent)["error_code"] == UNKNOWN_TOPIC
        response = by_id.receive("Fetch", 13, sent_by_id)
        assert response["responses"][0]["partitions"][0]["error_code"] == UNKNOWN_TOPIC_ID


def test_who_goes_while_waiting_leaves_nothing_behind(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("awaited") == 0
    for _ in range(20):
        with Client(penstock_broker) as client:
            park(client, "awaited")
    eventually(lambda: connections(penstock_broker) == 0, "they are gone")
    looked = reads(penstock_broker, "awaited")
    with Client(penstock_broker) as writer:
        writer.produce("awaited", one(b"nobody waits"))
        assert writer.values("awaited") == [b"nobody waits"]
    assert reads(penstock_broker, "awaited") == looked + 2, "the writer's own reads"
