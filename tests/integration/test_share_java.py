"""Kafka's own share consumer, in its tools, and the tool that manages share groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.support import java
from tests.support.faults import eventually
from tests.support.java_tools import RunningTool
from tests.support.shares import earliest

from penstock.client import Client, NewTopic

CONSOLE = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
VERIFIABLE = "org.apache.kafka.tools.VerifiableShareConsumer"
PERFORMANCE = "org.apache.kafka.tools.ShareConsumerPerformance"
GROUPS = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
PATIENCE_S = 60.0


@pytest.fixture
def client(share_cluster: str) -> Iterator[Client]:
    with Client(share_cluster, timeout_s=PATIENCE_S) as client:
        yield client


def make(client: Client, name: str, partitions: int, *, records: int) -> None:
    """A topic, and a group of its name that begins with its first record."""
    client.create_topics([NewTopic(name, partitions)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")
    earliest(client, name)
    with client.producer(batch_bytes=500) as producer:
        for number in range(records):
            producer.send(name, b"%d" % number, partition=number % partitions)


def consume(bootstrap: str, topic: str, count: int, *more: str) -> list[str]:
    """The lines that the console consumer prints of so many records, at least; it takes whole batches."""
    read = java.run(
        CONSOLE, "--bootstrap-server", bootstrap, "--topic", topic, "--group", topic,
        "--max-messages", str(count), "--timeout-ms", "60000", *more,
    )  # fmt: skip
    return read.stdout.splitlines()


def groups(bootstrap: str, *arguments: str) -> str:
    return java.run(GROUPS, "--bootstrap-server", bootstrap, *arguments).stdout


def lag(client: Client, group: str) -> int:
    return sum(each.lag for each in client.share_group_offsets(group).all().values())


def test_the_console_consumer_reads_each_record_once(client: Client, share_cluster: str) -> None:
    make(client, "java-console", 2, records=40)
    assert sorted(map(int, consume(share_cluster, "java-console", 40))) == list(range(40))
    eventually(lambda: lag(client, "java-console") == 0, "all is accepted")


@pytest.mark.parametrize(("how", "comes_again"), [("--release", True), ("--reject", False)])
def test_the_console_consumer_gives_records_back_or_up(
    client: Client, share_cluster: str, how: str, comes_again: bool
) -> None:
    topic = f"java{how}"
    make(client, topic, 1, records=1)
    assert consume(share_cluster, topic, 1, how) == ["0"]
    with client.producer() as producer:
        producer.send(topic, b"another")
    lines = consume(share_cluster, topic, 2 if comes_again else 1, "--formatter-property", "print.delivery=true")
    assert lines == ["Delivery:2\t0", "Delivery:1\tanother"] if comes_again else lines == ["Delivery:1\tanother"]


def test_the_tool_lists_describes_resets_and_deletes(client: Client, share_cluster: str) -> None:
    make(client, "java-tool", 2, records=20)
    consume(share_cluster, "java-tool", 20)
    eventually(lambda: lag(client, "java-tool") == 0, "all is accepted")
    assert "java-tool" in groups(share_cluster, "--list").splitlines()
    assert re.search(r"java-tool\s+Empty", groups(share_cluster, "--list", "--state"))
    eventually(
        lambda: bool(re.search(r"java-tool\s+\S+:\d+\s+\(1\)\s+Empty\s+0", state_of(share_cluster))), "it is empty"
    )
    offsets = ("--describe", "--group", "java-tool", "--offsets")
    assert len(re.findall(r"java-tool\s+java-tool\s+[01]\s+\d+\s+0\s", groups(share_cluster, *offsets))) == 2
    reset = ("--reset-offsets", "--group", "java-tool", "--topic", "java-tool", "--to-earliest")
    groups(share_cluster, *reset, "--dry-run")
    assert lag(client, "java-tool") == 0
    groups(share_cluster, *reset, "--execute")
    assert lag(client, "java-tool") == 20
    assert sorted(map(int, consume(share_cluster, "java-tool", 20))) == list(range(20))
    groups(share_cluster, "--delete-offsets", "--group", "java-tool", "--topic", "java-tool")
    assert client.share_group_offsets("java-tool") == {}
    groups(share_cluster, "--delete", "--group", "java-tool")
    assert "java-tool" not in groups(share_cluster, "--list").splitlines()


def state_of(bootstrap: str) -> str:
    return groups(bootstrap, "--describe", "--group", "java-tool", "--state")


def test_the_tool_shows_the_members_of_a_group(client: Client, share_cluster: str) -> None:
    make(client, "java-members", 2, records=2)
    with client.share_consumer(group="java-members", topics=("java-members",)) as consumer:
        assert consumer.poll(PATIENCE_S)
        members = groups(share_cluster, "--describe", "--group", "java-members", "--members")
        assert re.search(rf"java-members\s+{re.escape(consumer.member_id)}\s+/?127\.0\.0\.1\s", members)
        assert "java-members:0,1" in members.replace(" ", "")


@pytest.mark.parametrize("mode", ["auto", "sync", "async"])
def test_two_verifiable_consumers_go_on_when_one_of_them_is_killed(
    client: Client, share_cluster: str, mode: str
) -> None:
    topic = f"java-killed-{mode}"
    make(client, topic, 2, records=0)
    options = (
        "--bootstrap-server",
        share_cluster,
        "--topic",
        topic,
        "--group-id",
        topic,
        "--acknowledgement-mode",
        mode,
    )

    def acknowledged(*tools: RunningTool) -> int:
        return sum(each["count"] for tool in tools for each in tool.named("offsets_acknowledged") if each["success"])

    with (
        RunningTool(VERIFIABLE, *options, "--offset-reset-strategy", "earliest", "--verbose") as stays,
        RunningTool(VERIFIABLE, *options, "--verbose") as dies,
        client.producer(batch_bytes=200) as producer,
    ):
        for tool in (stays, dies):
            tool.until(lambda tool=tool: bool(tool.named("startup_complete")), "it is there")  # type: ignore[misc]
        written = 0
        while not acknowledged(dies):
            producer.wait(producer.send(topic, b"%d" % written, partition=written % 2))
            written += 1
        dies.kill()
        for _ in range(100):
            producer.send(topic, b"%d" % written, partition=written % 2)
            written += 1
        producer.flush()
        eventually(lambda: lag(client, topic) == 0, "all is accepted, by one or the other")
        stays.stop()
    seen = Counter(each["value"] for tool in (stays, dies) for each in tool.named("record_data"))
    assert seen.keys() == {str(number) for number in range(written)}
    assert not [each for each in stays.named("offsets_acknowledged") if not each["success"]]


def test_the_performance_tool_reads_what_there_is(client: Client, share_cluster: str) -> None:
    make(client, "java-perf", 3, records=3_000)
    said = java.run(
        PERFORMANCE, "--bootstrap-server", share_cluster, "--topic", "java-perf", "--group", "java-perf",
        "--num-records", "3000", "--threads", "2", "--timeout", "60000", "--hide-header",
    ).stdout  # fmt: skip
    assert int(said.splitlines()[-1].split(",")[5]) >= 3_000, said
    eventually(lambda: lag(client, "java-perf") == 0, "all is accepted")
