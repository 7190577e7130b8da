"""Kafka's own programs for tests of a cluster: what they are told was written is read, once, by one of a group."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.support import java
from tests.support.clients import fresh_name, make_topic, read_decided
from tests.support.java_tools import RunningTool, events_of

import penstock.testing

PRODUCER = "org.apache.kafka.tools.VerifiableProducer"
CONSUMER = "org.apache.kafka.tools.VerifiableConsumer"
COPIER = "org.apache.kafka.tools.TransactionalMessageCopier"
GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"

CLASSIC = ("--group-protocol", "classic", "--session-timeout", "45000")  # a machine that stalls is no member that died
PROTOCOLS = [
    pytest.param(CLASSIC, id="classic"),
    pytest.param((*CLASSIC, "--assignment-strategy", COOPERATIVE), id="cooperative"),
    pytest.param(("--group-protocol", "consumer"), id="consumer"),
]


@pytest.fixture(scope="module")
def quick() -> Iterator[str]:
    """A broker that makes nobody wait for the rest of a group."""
    settings = {
        "group.initial.rebalance.delay.ms": "0",
        "group.consumer.heartbeat.interval.ms": "200",
        "group.consumer.min.heartbeat.interval.ms": "200",
        "group.consumer.assignment.interval.ms": "0",
    }
    with penstock.testing.broker(settings) as running:
        yield running.bootstrap


def produce(bootstrap: str, topic: str, count: int, *, acks: str = "-1") -> list[int]:
    """What the producer was told is written."""
    arguments = ("--bootstrap-server", bootstrap, "--topic", topic, "--max-messages", str(count), "--acks", acks)
    events = events_of(java.run(PRODUCER, *arguments, "--repeating-keys", "50").stdout)
    assert [event for event in events if event["name"] == "producer_send_error"] == []
    (told,) = (event for event in events if event["name"] == "tool_data")
    assert (told["sent"], told["acked"]) == (count, count)
    return [int(event["value"]) for event in events if event["name"] == "producer_send_success"]


def consumer(bootstrap: str, topic: str, group: str, *more: str) -> RunningTool:
    where = ("--bootstrap-server", bootstrap, "--topic", topic, "--group-id", group, "--reset-policy", "earliest")
    return RunningTool(CONSUMER, *where, "--verbose", *more)


def values(tool: RunningTool) -> Counter[int]:
    return Counter(int(event["value"]) for event in tool.named("record_data"))


def owned(tool: RunningTool) -> set[int]:
    """The partitions that it was given and not taken from since."""
    partitions: set[int] = set()
    for event in list(tool.events):
        if event["name"] in ("partitions_assigned", "partitions_revoked"):
            named = {each["partition"] for each in event["partitions"]}
            partitions = partitions | named if event["name"] == "partitions_assigned" else partitions - named
    return partitions


def has_committed_all(tool: RunningTool) -> bool:
    """Whether commits that succeeded cover every record that it has told of: it tells of records first."""
    committed: dict[int, int] = {}
    for event in tool.named("offsets_committed"):
        if event["success"]:
            committed |= {each["partition"]: each["offset"] for each in event["offsets"]}
    return all(committed.get(event["partition"], 0) > event["offset"] for event in tool.named("record_data"))


@pytest.mark.parametrize("acks", ["-1", "1"])
@pytest.mark.parametrize("protocol", PROTOCOLS[::2])
def test_what_the_producer_was_told_is_written_is_what_the_consumer_reads(
    quick: str, protocol: tuple[str, ...], acks: str
) -> None:
    topic, group = make_topic(quick, "verified", partitions=3), fresh_name("group")
    written = produce(quick, topic, 300, acks=acks)
    with consumer(quick, topic, group, *protocol, "--max-messages", "300") as reader:
        reader.finish()
        assert values(reader) == Counter(written) == Counter(range(300))
        commits = reader.named("offsets_committed")
        assert commits and all(commit["success"] for commit in commits)
    described = java.run(GROUPS, "--bootstrap-server", quick, "--describe", "--group", group).stdout
    lags = re.findall(rf"{group}\s+{topic}\s+\d+\s+(\d+)\s+\1\s+0\s", described)
    assert sum(map(int, lags)) == 300


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_consumers_that_come_and_go_share_every_record_once(quick: str, protocol: tuple[str, ...]) -> None:
    topic, group = make_topic(quick, "shared", partitions=4), fresh_name("group")
    with consumer(quick, topic, group, *protocol) as stays:
        stays.until(lambda: owned(stays) == {0, 1, 2, 3}, "the first has all")
        with consumer(quick, topic, group, *protocol) as goes:
            goes.until(lambda: len(owned(goes)) == len(owned(stays)) == 2, "both have a half")
            assert owned(goes) | owned(stays) == {0, 1, 2, 3}
            produce(quick, topic, 200)
            goes.until(lambda: sum((values(goes) + values(stays)).values()) >= 200, "all is read")
            goes.until(lambda: has_committed_all(goes), "it has committed")
            goes.stop()
            seen = values(goes)
        stays.until(lambda: owned(stays) == {0, 1, 2, 3}, "the first has all again")
        produce(quick, topic, 100)
        stays.until(lambda: sum((seen + values(stays)).values()) >= 300, "the rest is read")
        assert seen + values(stays) == Counter(range(200)) + Counter(range(100))


@pytest.mark.parametrize("mode", [(), ("--group-mode", "--use-group-metadata")], ids=["assigned", "group"])
def test_kafkas_copier_copies_every_record_once_though_it_aborts_now_and_then(
    quick: str, mode: tuple[str, ...]
) -> None:
    source, target = make_topic(quick, "copied"), make_topic(quick, "copy")
    written = produce(quick, source, 500)
    java.run(
        COPIER,
        *("--broker-list", quick, "--input-topic", source, "--input-partition", "0", "--output-topic", target),
        *("--transactional-id", fresh_name("copier"), "--consumer-group", fresh_name("group")),
        *("--transaction-size", "20", "--enable-random-aborts", *mode),
    )
    copied = [int(record.value() or b"") for record in read_decided(quick, target)]
    assert copied == written
