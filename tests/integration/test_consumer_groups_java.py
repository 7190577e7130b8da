"""Groups of the consumer protocol (KIP-848) with Kafka's own consumer and group tool, from its jars."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support import java
from tests.support.coordinators import Kind, ask_coordinator
from tests.support.group_clients import (
    CONSUMER_PROTOCOL,
    fresh_name,
    group_consumer,
    read_together,
    topic_with_records,
    wait_for_shares,
)
from tests.support.kept import CONSOLE_CONSUMER, kept_of
from tests.support.raw import RawClient, port_of

import penstock.testing

GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
VERIFIABLE_CONSUMER = "org.apache.kafka.tools.VerifiableConsumer"
DUMP = "org.apache.kafka.tools.DumpLogSegments"
EPOCH, MEMBER, TARGET_EPOCH, TARGET, CURRENT, PATTERN = 3, 5, 6, 7, 8, 16
"""Types of records."""


@pytest.fixture(scope="module")
def broker() -> Iterator[penstock.testing.RunningBroker]:
    settings = {
        "group.consumer.heartbeat.interval.ms": "100",
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.assignment.interval.ms": "100",
        "group.initial.rebalance.delay.ms": "0",
        "offsets.topic.num.partitions": "1",
    }
    with penstock.testing.broker(settings) as running:
        yield running


@pytest.fixture
def quick(broker: penstock.testing.RunningBroker) -> str:
    return broker.bootstrap


def groups(bootstrap: str, *arguments: str) -> str:
    return java.run(GROUPS, "--bootstrap-server", bootstrap, *arguments).stdout


def consume(bootstrap: str, group: str, count: int, *what: str) -> list[int]:
    read = java.run(
        CONSOLE_CONSUMER,
        "--bootstrap-server", bootstrap, *what, "--group", group, "--from-beginning",
        "--command-property", "group.protocol=consumer", "--max-messages", str(count), "--timeout-ms", "60000",
    )  # fmt: skip
    return sorted(map(int, read.stdout.split()))


def test_the_console_consumer_reads_as_a_group_and_the_tool_manages_it(quick: str) -> None:
    topic, group = topic_with_records(quick, "java-newer", 40, partitions=2), fresh_name("group")
    assert consume(quick, group, 40, "--topic", topic) == list(range(40))
    listed = groups(quick, "--list", "--type", "consumer", "--state")
    assert re.search(rf"{group}\s+Consumer\s+Empty", listed)
    described = groups(quick, "--describe", "--group", group)
    assert re.search(rf"{group}\s+{topic}\s+0\s+\S+\s+20\s+20\s+0\s", described) or re.search(
        rf"{group}\s+{topic}\s+0\s+20\s+20\s+0\s", described
    )
    groups(quick, "--group", group, "--topic", topic, "--reset-offsets", "--shift-by", "-5", "--execute")
    assert consume(quick, group, 10, "--topic", topic) == list(range(30, 40))
    groups(quick, "--delete", "--group", group)
    assert group not in groups(quick, "--list").splitlines()


def test_the_console_consumer_subscribes_to_a_pattern(quick: str) -> None:
    stem = fresh_name("java-logs")
    for letter in "ab":
        topic_with_records(quick, f"{stem}-{letter}", 10, partitions=1)
    assert consume(quick, fresh_name("group"), 20, "--include", f"{stem}.*") == sorted([*range(10), *range(10)])


def test_the_tool_describes_the_members_of_a_group_with_confluent_kafka(quick: str) -> None:
    topic, group = topic_with_records(quick, "java-members", 20, partitions=2), fresh_name("group")
    with group_consumer(quick, group, topic, client_id="reader", **CONSUMER_PROTOCOL) as consumer:
        read_together([consumer], 20)
        members = groups(quick, "--describe", "--group", group, "--members", "--verbose")
        assert re.search(rf"{group}\s+\S+\s+/127.0.0.1\s+reader\s+2\s", members)
        assert f"{topic}(0,1)" in members or f"{topic}:0,1" in members
        state = groups(quick, "--describe", "--group", group, "--state", "--verbose")
        assert re.search(rf"{group}\s.*uniform\s+Stable\s+2\s+2\s+1", state)


def test_the_verifiable_consumer_shares_a_topic_with_confluent_kafka(quick: str) -> None:
    topic, group = topic_with_records(quick, "java-both", 40, partitions=2), fresh_name("group")
    with group_consumer(quick, group, topic, **CONSUMER_PROTOCOL) as ours:
        wait_for_shares([ours], 2)
        arguments = (
            "--bootstrap-server", quick, "--topic", topic, "--group-id", group, "--max-messages", "20",
            "--reset-policy", "earliest", "--group-protocol", "consumer",
        )  # fmt: skip
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(java.run, VERIFIABLE_CONSUMER, *arguments)
            while not running.done():
                ours.poll(0.1)  # it gives up a partition within a poll
        read = running.result()
    events = [json.loads(line) for line in read.stdout.splitlines() if line.startswith("{")]
    assigned = [event["partitions"] for event in events if event["name"] == "partitions_assigned"]
    assert [part["partition"] for parts in assigned for part in parts] in ([0], [1])
    assert sum(event["count"] for event in events if event["name"] == "records_consumed") == 20


def test_kafkas_formatter_reads_what_is_kept_of_such_groups(quick: str) -> None:
    """The formatter knows classic groups and offsets; what else is in the topic must not trouble it."""
    topic, group = topic_with_records(quick, "java-kept", 20, partitions=2), fresh_name("group")
    with group_consumer(quick, group, topic, **CONSUMER_PROTOCOL) as consumer:
        read_together([consumer], 20)
        consumer.commit(asynchronous=False)
    records = kept_of(quick, "__consumer_offsets", "OffsetsMessageFormatter", group)
    kept = [each for each in records if each["key"]["data"]["group"] == group]
    assert {each["key"]["data"]["partition"] for each in kept} == {0, 1}


def test_kafka_reads_every_record_that_is_kept_of_such_groups(broker: penstock.testing.RunningBroker) -> None:
    stem, group = fresh_name("java-dump"), fresh_name("group")
    topic = topic_with_records(broker.bootstrap, f"{stem}-a", 20, partitions=2)
    settings = CONSUMER_PROTOCOL | {"group_instance_id": "i", "client_id": "reader"}
    with group_consumer(broker.bootstrap, group, f"^{stem}.*", **settings) as consumer:
        read_together([consumer], 20)
    log = broker.data_dir / "__consumer_offsets-0" / "00000000000000000000.log"
    said = java.run(DUMP, "--offsets-decoder", "--files", str(log)).stdout
    kept: dict[int, Any] = {}
    for key, value in re.findall(r"key: (\{.*?\}) payload: (\{.*\}|<NULL>)", said):
        read = json.loads(key)
        if read["data"].get("groupId") == group and value != "<NULL>":
            kept[int(read["type"])] = json.loads(value)["data"]
    topic_ids = {str(each["topicId"]) for each in kept[TARGET]["topicPartitions"]}
    assert kept[EPOCH]["epoch"] >= 2 and kept[TARGET_EPOCH]["assignmentEpoch"] >= 2
    assert (kept[MEMBER]["instanceId"], kept[MEMBER]["clientId"]) == ("i", "reader")
    assert f"^{stem}.*" in kept[MEMBER]["subscribedTopicRegex"] and kept[PATTERN]["topics"] == [topic]
    assert len(topic_ids) == 1 and kept[TARGET]["topicPartitions"][0]["partitions"] == [0, 1]
    assert {str(each["topicId"]) for each in kept[CURRENT]["assignedPartitions"]} == topic_ids


def test_settings_of_a_group_reach_its_members(quick: str) -> None:
    topic, group = topic_with_records(quick, "java-settings", 0), fresh_name("group")
    java.run(
        "kafka.admin.ConfigCommand",
        "--bootstrap-server", quick, "--alter", "--entity-type", "groups", "--entity-name", group,
        "--add-config", "consumer.heartbeat.interval.ms=7000",
    )  # fmt: skip
    body = {
        "group_id": group, "member_id": "m", "member_epoch": 0, "instance_id": None, "rack_id": None,
        "rebalance_timeout_ms": 1_000, "subscribed_topic_names": [topic], "subscribed_topic_regex": None,
        "server_assignor": None, "topic_partitions": [],
    }  # fmt: skip
    with RawClient(port_of(quick)) as client:
        answer = ask_coordinator(client, Kind.GROUP, group, "ConsumerGroupHeartbeat", 1, body)
    assert (answer["error_code"], answer["heartbeat_interval_ms"]) == (0, 7_000)
