"""librdkafka's admin client: topics, partitions, settings, offsets, deleted records."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer, TopicCollection
from confluent_kafka import TopicPartition as At
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._listoffsets import OffsetSpec
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewPartitions, NewTopic
from tests.support.clients import WITHIN_S, fresh_name, make_topic, read_to_end

WHEN = 1_750_000_000_000


@pytest.fixture(scope="module")
def admin(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap})


def code_of(action: Callable[[], Any]) -> int:
    with pytest.raises(KafkaException) as refused:
        action()
    error: KafkaError = refused.value.args[0]
    return error.code()


def until_true(condition: Callable[[], bool]) -> None:
    """Brokers whose answers come before their own metadata (Kafka's) need a moment."""
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def fill(bootstrap: str, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    for number in range(count):
        producer.produce(topic, b"%d" % number, partition=0, timestamp=WHEN + number)
    assert producer.flush(60) == 0


def settings_of(admin: AdminClient, topic: str) -> dict[str, str]:
    resource = ConfigResource(ResourceType.TOPIC, topic)
    entries = admin.describe_configs([resource])[resource].result(WITHIN_S)
    return {name: entry.value for name, entry in entries.items()}


def test_a_topic_is_made_listed_described_and_deleted(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "life", partitions=3)
    listed = admin.list_topics(timeout=WITHIN_S).topics[topic]
    assert sorted(listed.partitions) == [0, 1, 2]
    described = admin.describe_topics(TopicCollection([topic]))[topic].result(WITHIN_S)
    assert (described.name, len(described.partitions), described.is_internal) == (topic, 3, False)
    assert [each.leader.id for each in described.partitions] == [each.isr[0].id for each in described.partitions]
    admin.delete_topics([topic])[topic].result(WITHIN_S)
    until_true(lambda: topic not in admin.list_topics(timeout=WITHIN_S).topics)


def test_bad_topics_are_refused_with_kafkas_codes(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "taken")

    def create(name: str, **more: Any) -> Callable[[], Any]:
        return lambda: admin.create_topics([NewTopic(name, **more)])[name].result(WITHIN_S)

    assert code_of(create(topic)) == KafkaError.TOPIC_ALREADY_EXISTS
    assert code_of(create("not a name")) == KafkaError.TOPIC_EXCEPTION
    assert code_of(create(fresh_name("rf"), replication_factor=5)) == KafkaError.INVALID_REPLICATION_FACTOR
    assert code_of(create(fresh_name("cf"), config={"no.such": "1"})) == KafkaError.INVALID_CONFIG
    missing = fresh_name("missing")
    assert code_of(lambda: admin.delete_topics([missing])[missing].result(WITHIN_S)) == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_validate_only_makes_nothing(admin: AdminClient) -> None:
    name = fresh_name("checked")
    admin.create_topics([NewTopic(name, num_partitions=2)], validate_only=True)[name].result(WITHIN_S)
    assert name not in admin.list_topics(timeout=WITHIN_S).topics


def test_partitions_are_added(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "grow")
    admin.create_partitions([NewPartitions(topic, 4)])[topic].result(WITHIN_S)
    until_true(lambda: len(admin.list_topics(topic, timeout=WITHIN_S).topics[topic].partitions) == 4)
    shrink = lambda: admin.create_partitions([NewPartitions(topic, 2)])[topic].result(WITHIN_S)  # noqa: E731
    assert code_of(shrink) == KafkaError.INVALID_PARTITIONS


def test_settings_are_described_and_changed(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "settings", retention_ms="3600000")
    assert settings_of(admin, topic)["retention.ms"] == "3600000"
    entries = [
        ConfigEntry("retention.ms", "7200000", incremental_operation=AlterConfigOpType.SET),
        ConfigEntry("cleanup.policy", "compact", incremental_operation=AlterConfigOpType.APPEND),
    ]
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)
    admin.incremental_alter_configs([resource])[resource].result(WITHIN_S)
    until_true(lambda: settings_of(admin, topic)["retention.ms"] == "7200000")
    assert settings_of(admin, topic)["cleanup.policy"] == "delete,compact"


def test_a_bad_setting_is_refused(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "bad-setting")
    entry = ConfigEntry("retention.ms", "soon", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    refused = lambda: admin.incremental_alter_configs([resource])[resource].result(WITHIN_S)  # noqa: E731
    assert code_of(refused) == KafkaError.INVALID_CONFIG


def test_offsets_are_listed_in_every_way(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "offsets")
    fill(bootstrap, topic, 20)
    spec_of: Any = OffsetSpec
    wanted = {
        "earliest": spec_of.earliest(),
        "latest": spec_of.latest(),
        "newest": spec_of.max_timestamp(),
        "by time": spec_of.for_timestamp(WHEN + 7),
    }
    found = {
        name: next(iter(admin.list_offsets({At(topic, 0): spec}).values())).result(WITHIN_S).offset
        for name, spec in wanted.items()
    }
    assert found == {"earliest": 0, "latest": 20, "newest": 19, "by time": 7}


def test_records_are_deleted(admin: AdminClient, bootstrap: str) -> None:
    topic = make_topic(bootstrap, "trim")
    fill(bootstrap, topic, 20)
    (outcome,) = admin.delete_records([At(topic, 0, 13)]).values()
    assert outcome.result(WITHIN_S).low_watermark == 13
    assert [each.offset() for each in read_to_end(bootstrap, topic, start=13)] == list(range(13, 20))
    (beyond,) = admin.delete_records([At(topic, 0, 21)]).values()
    assert code_of(lambda: beyond.result(WITHIN_S)) == KafkaError.OFFSET_OUT_OF_RANGE


def test_the_cluster_is_described(admin: AdminClient, bootstrap: str) -> None:
    cluster = admin.describe_cluster().result(WITHIN_S)
    assert cluster.cluster_id
    (node,) = cluster.nodes
    assert f"{node.host}:{node.port}" == bootstrap
    assert cluster.controller.id == node.id
