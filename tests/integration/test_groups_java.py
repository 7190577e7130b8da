"""Kafka's own consumer and group tool, from its jars."""

from __future__ import annotations

import re
from typing import Any

from tests.support import java
from tests.support.group_clients import (
    fresh_name,
    group_consumer,
    read_together,
    topic_with_records,
    wait_until_empty,
)
from tests.support.kept import CONSOLE_CONSUMER, kept_of

GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


def groups(bootstrap: str, *arguments: str) -> str:
    return java.run(GROUPS, "--bootstrap-server", bootstrap, *arguments).stdout


def consume(bootstrap: str, topic: str, group: str, count: int) -> list[int]:
    read = java.run(
        CONSOLE_CONSUMER,
        "--bootstrap-server", bootstrap, "--topic", topic, "--group", group, "--from-beginning",
        "--max-messages", str(count), "--timeout-ms", "60000",
    )  # fmt: skip
    return sorted(map(int, read.stdout.split()))


def test_the_console_consumer_reads_as_a_group_and_the_tool_manages_it(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "java-group", 40, partitions=2), fresh_name("group")
    assert consume(bootstrap, topic, group, 40) == list(range(40))
    assert group in groups(bootstrap, "--list").splitlines()
    described = groups(bootstrap, "--describe", "--group", group)
    assert re.search(rf"{group}\s+{topic}\s+0\s+20\s+20\s+0\s", described)
    assert "Empty" in groups(bootstrap, "--describe", "--group", group, "--state")
    to_reset = ("--group", group, "--topic", topic, "--reset-offsets", "--shift-by", "-5")
    groups(bootstrap, *to_reset, "--dry-run")
    assert re.search(r"\s20\s+20\s+0\s", groups(bootstrap, "--describe", "--group", group))
    groups(bootstrap, *to_reset, "--execute")
    assert consume(bootstrap, topic, group, 10) == list(range(30, 40))
    deleted = groups(bootstrap, "--delete-offsets", "--group", group, "--topic", f"{topic}:1")
    assert "Successful" in deleted
    groups(bootstrap, "--delete", "--group", group)
    assert group not in groups(bootstrap, "--list").splitlines()


def test_the_tool_describes_the_members_of_a_group_with_confluent_kafka(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "java-members", 20, partitions=2), fresh_name("group")
    with group_consumer(bootstrap, group, topic, client_id="reader", session_timeout_ms=45_000) as consumer:
        read_together([consumer], 20)
        members = groups(bootstrap, "--describe", "--group", group, "--members", "--verbose")
        assert re.search(rf"{group}\s+reader-\S+\s+/127.0.0.1\s+reader\s+2\s", members)
        state = groups(bootstrap, "--describe", "--group", group, "--state")
        assert re.search(rf"{group}\s.*range\s+Stable\s+1", state)


def test_kafkas_formatters_read_the_topic_that_groups_are_kept_in(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "java-format", 20, partitions=2), fresh_name("group")
    with group_consumer(bootstrap, group, topic) as consumer:
        read_together([consumer], 20)
        consumer.commit(asynchronous=False)
    wait_until_empty(bootstrap, group)
    kept = kept_of_group(bootstrap, "OffsetsMessageFormatter", group)
    places = {(each["key"]["data"]["topic"], each["key"]["data"]["partition"]) for each in kept}
    assert places == {(topic, 0), (topic, 1)}
    assert {(int(each["value"]["version"]), each["value"]["data"]["offset"]) for each in kept} == {(4, 10)}
    generations = kept_of_group(bootstrap, "GroupMetadataMessageFormatter", group)
    assert [len(each["value"]["data"]["members"]) for each in generations][-2:] == [1, 0]
    assert generations[-2]["value"]["data"]["protocol"] == "range"
    assert int(generations[-2]["value"]["version"]) == 3


def kept_of_group(bootstrap: str, formatter: str, group: str) -> list[Any]:
    records = kept_of(bootstrap, "__consumer_offsets", formatter, group)
    return [each for each in records if each["key"]["data"]["group"] == group]
