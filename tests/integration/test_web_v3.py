"""Confluent's paths in front of real clusters, judged by what other clients say of the same things."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer, TopicPartition
from tests.support.faults import eventually
from tests.support.web import web

from penstock.client import Client

PATIENCE_S = 120.0


@pytest.fixture(scope="module")
def here(either_cluster: str) -> Iterator[httpx.Client]:
    with web(either_cluster) as running:
        cluster = httpx.get(f"{running.url}/v3/clusters", timeout=PATIENCE_S).json()["data"][0]
        with httpx.Client(base_url=cluster["metadata"]["self"], timeout=PATIENCE_S) as client:
            yield client


def make(here: httpx.Client, name: str, partitions: int = 1, **configs: str) -> None:
    body = {
        "topic_name": name, "partitions_count": partitions, "replication_factor": 1,
        "configs": [{"name": key, "value": value} for key, value in configs.items()],
    }  # fmt: skip
    answer = here.post("topics", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["partitions_count"] == partitions and answer.json()["kind"] == "KafkaTopic"
    eventually(lambda: here.get(f"topics/{name}").status_code == 200, f"{name} is known")


def data(here: httpx.Client, url: str) -> list[dict[str, Any]]:
    answer = here.get(url)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def test_links_lead_from_the_cluster_to_a_replica(here: httpx.Client) -> None:
    make(here, "linked", 2)
    cluster = here.get("").json()
    topic = next(each for each in data(here, cluster["topics"]["related"]) if each["topic_name"] == "linked")
    partition = data(here, topic["partitions"]["related"])[1]
    assert partition["partition_id"] == 1
    (replica,) = data(here, partition["replicas"]["related"])
    assert (replica["is_leader"], replica["is_in_sync"]) == (True, True)
    assert here.get(partition["leader"]["related"]).json() == here.get(replica["metadata"]["self"]).json() == replica
    broker = here.get(replica["broker"]["related"]).json()
    assert broker["broker_id"] == replica["broker_id"] and data(here, broker["configs"]["related"])


def test_settings_are_set_and_taken_back(here: httpx.Client, either_cluster: str) -> None:
    make(here, "set", 1, **{"retention.ms": "1000"})
    path = "topics/set/configs"
    found = here.get(f"{path}/retention.ms").json()
    assert (found["value"], found["source"], found["is_default"]) == ("1000", "DYNAMIC_TOPIC_CONFIG", False)
    assert here.put(f"{path}/retention.ms", json={"value": "2000"}).status_code == 204
    changes = [{"name": "max.message.bytes", "value": "3000"}, {"name": "retention.ms", "operation": "DELETE"}]
    assert here.post(f"{path}:alter", json={"data": changes}).status_code == 204
    eventually(lambda: here.get(f"{path}/max.message.bytes").json()["value"] == "3000", "it is set")
    assert here.get(f"{path}/retention.ms").json()["is_default"] is True
    assert here.delete(f"{path}/max.message.bytes").status_code == 204
    eventually(lambda: here.get(f"{path}/max.message.bytes").json()["is_default"], "it is taken back")
    assert here.get(f"{path}/no.such.setting").status_code == 404
    assert here.put(f"{path}/retention.ms", json={"value": "soon"}).status_code == 400
    broker = here.get("brokers").json()["data"][0]["broker_id"]
    path = f"brokers/{broker}/configs"
    assert here.put(f"{path}/log.cleaner.threads", json={"value": "2"}).status_code == 204
    eventually(lambda: here.get(f"{path}/log.cleaner.threads").json()["value"] == "2", "it is set")
    assert here.delete(f"{path}/log.cleaner.threads").status_code == 204
    assert here.get("broker-configs").status_code == 200


def test_a_topic_gets_partitions_and_is_deleted(here: httpx.Client) -> None:
    make(here, "grown")
    assert here.patch("topics/grown", json={"partitions_count": 3}).json()["partitions_count"] == 3
    eventually(lambda: len(data(here, "topics/grown/partitions")) == 3, "it has three")
    refused = here.patch("topics/grown", json={"partitions_count": 2})
    assert refused.status_code == 400 and refused.json()["kafka_error"] == "INVALID_PARTITIONS"
    assert here.post("topics", json={"topic_name": "dry", "validate_only": True}).status_code == 201
    assert here.delete("topics/grown").status_code == 204
    eventually(lambda: here.get("topics/grown").status_code == 404, "it is gone")
    assert here.get("topics/dry").status_code == 404


def test_records_are_produced_as_clients_of_version_3_do(here: httpx.Client, either_cluster: str) -> None:
    make(here, "produced", 2)
    raw = base64.b64encode(b"\x00\xff").decode()
    body = {
        "partition_id": 1, "headers": [{"name": "h", "value": base64.b64encode(b"v").decode()}],
        "key": {"type": "STRING", "data": "k"}, "value": {"type": "BINARY", "data": raw},
        "timestamp": "2023-11-14T22:13:20Z",
    }  # fmt: skip
    answer = here.post("topics/produced/records", json=body).json()
    assert (answer["error_code"], answer["partition_id"], answer["offset"]) == (200, 1, 0)
    assert answer["value"] == {"type": "BINARY", "size": 2}
    more = here.post("topics/produced/records", json={"partition_id": 1, "value": {"type": "JSON", "data": {"a": 1}}})
    assert more.json()["offset"] == 1
    consumer = Consumer({"bootstrap.servers": either_cluster, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([TopicPartition("produced", 1, 0)])
    found: list[Any] = []
    while len(found) < 2:
        found += consumer.consume(2 - len(found), timeout=1.0)
    consumer.close()
    assert (found[0].key(), found[0].value(), found[0].headers()) == (b"k", b"\x00\xff", [("h", b"v")])
    assert found[0].timestamp()[1] == 1_700_000_000_000
    assert found[1].value() == b'{"a":1}'
    for wrong in (
        {"value": {"type": "BINARY", "data": "no"}},
        {"value": {"type": "STRING", "data": 1}},
        {"partition_id": -1},
    ):
        assert here.post("topics/produced/records", json=wrong).status_code == 400


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_groups_tell_members_and_lag(here: httpx.Client, either_cluster: str, protocol: str) -> None:
    topic, group = f"group-{protocol}", f"readers-{protocol}"
    make(here, topic, 2)
    for _ in range(5):
        here.post(f"topics/{topic}/records", json={"partition_id": 0, "value": {"type": "STRING", "data": "x"}})
    consumer = Consumer(
        {
            "bootstrap.servers": either_cluster, "group.id": group, "auto.offset.reset": "earliest",
            "enable.auto.commit": False, "group.protocol": protocol, "client.id": "the-client",
        }
    )  # fmt: skip
    consumer.subscribe([topic])
    while (record := consumer.poll(1.0)) is None:
        pass
    consumer.commit(message=record, asynchronous=False)
    found = here.get(f"consumer-groups/{group}").json()
    assert (found["state"], found["type"]) == ("STABLE", protocol.upper())
    assert group in [each["consumer_group_id"] for each in data(here, "consumer-groups")]
    (member,) = data(here, found["consumers"]["related"])
    assert member["client_id"] == "the-client"
    assert member["assignments"] == [{"topic_name": topic, "partition_id": each} for each in range(2)]
    assert here.get(member["metadata"]["self"]).json() == member
    summary = here.get(found["lag_summary"]["related"]).json()
    assert (summary["total_lag"], summary["max_lag"], summary["max_lag_topic_name"]) == (4, 4, topic)
    assert summary["max_lag_consumer_id"] == member["consumer_id"]
    (lag,) = data(here, f"consumer-groups/{group}/lags")
    assert (lag["current_offset"], lag["log_end_offset"], lag["lag"]) == (1, 5, 4)
    assert here.get(lag["metadata"]["self"]).json() == lag
    consumer.close()
    assert here.get("consumer-groups/nobody").status_code == 404
    assert here.get("consumer-groups/nobody/lags").json()["kafka_error"] == "GROUP_ID_NOT_FOUND"


def test_rules_cannot_be_had_where_there_are_none(here: httpx.Client) -> None:
    answer = here.get("acls")
    assert (answer.status_code, answer.json()["kafka_error"]) == (409, "SECURITY_DISABLED")
    assert here.get("acls", params={"resource_type": "TOPICS"}).status_code == 400
    assert here.delete("acls").status_code == 400


def test_a_topic_that_the_client_made_is_the_same(here: httpx.Client, either_cluster: str) -> None:
    make(here, "compared", 3)
    with Client(either_cluster) as client:
        info = client.describe_topics(["compared"]).all()["compared"]
    assert [each["partition_id"] for each in data(here, "topics/compared/partitions")] == sorted(info.partitions)
