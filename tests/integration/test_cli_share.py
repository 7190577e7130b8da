"""penstock share ... against a running broker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.command import Penstock
from tests.support.faults import eventually
from tests.support.shares import earliest

from penstock.cli.exits import ExitCode
from penstock.client import Client, NewTopic, ShareConsumer

PATIENCE_S = 60.0


@pytest.fixture
def penstock(share_cluster: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Penstock:
    return Penstock(share_cluster, monkeypatch, capfd)


@pytest.fixture
def client(share_cluster: str) -> Iterator[Client]:
    with Client(share_cluster, timeout_s=PATIENCE_S) as client:
        yield client


def a_group(client: Client, name: str, *, records: int) -> ShareConsumer:
    """Of one topic of two partitions; it has accepted all records."""
    client.create_topics([NewTopic(name, 2)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")
    earliest(client, name)
    with client.producer() as producer:
        for number in range(records):
            producer.send(name, b"%d" % number, partition=number % 2)
    consumer = client.share_consumer(group=name, topics=(name,))
    read = 0
    while read < records:
        read += len(consumer.poll(PATIENCE_S))
    consumer.commit().all()
    return consumer


def described(penstock: Penstock, group: str) -> dict[str, Any]:
    (found,) = json.loads(penstock("share", "describe", group, "--json").out)
    assert isinstance(found, dict)
    return found


def lags(penstock: Penstock, group: str) -> dict[int, int]:
    return {each["partition"]: each["lag_records"] for each in described(penstock, group)["partitions"]}


def test_a_group_is_listed_and_described_with_its_members(penstock: Penstock, client: Client) -> None:
    with a_group(client, "busy", records=4) as consumer:
        assert {"group": "busy", "state": "stable"} in json.loads(penstock("share", "list", "--json").out)
        assert "busy" not in penstock("share", "list", "--names", "--state", "empty").out.splitlines()
        found = described(penstock, "busy")
        assert (found["state"], found["lag_records"]) == ("stable", 0)
        (member,) = found["members"]
        assert member["member"] == consumer.member_id
        assert member["partitions"] == [{"topic": "busy", "partition": index} for index in (0, 1)]
        assert [each["members"] for each in found["partitions"]] == [1, 1]
        assert "busy:0-1" in penstock("share", "describe", "busy").out


def test_a_group_with_members_is_not_reset_or_deleted(penstock: Penstock, client: Client) -> None:
    with a_group(client, "in-use", records=2) as consumer:
        for command in (("reset", "in-use", "--all-topics", "--to-earliest", "--yes"), ("delete", "in-use", "--yes")):
            done = penstock("share", *command)
            assert done.code == ExitCode.FAILED and "it has 1 member" in done.err and consumer.member_id in done.err
    assert lags(penstock, "in-use") == {0: 0, 1: 0}


def test_a_reset_is_shown_first_and_then_done(penstock: Penstock, client: Client) -> None:
    a_group(client, "again", records=8).close()
    shown = penstock("share", "reset", "again", "--topic", "again:1", "--to-offset", "1")
    assert "nothing was changed" in shown.err and lags(penstock, "again") == {0: 0, 1: 0}
    done = json.loads(
        penstock("share", "reset", "again", "--topic", "again:1", "--to-offset", "1", "--yes", "--json").out
    )
    assert done["done"] and [(each["partition"], each["to"]) for each in done["partitions"]] == [(1, 1)]
    assert lags(penstock, "again") == {0: 0, 1: 3}
    assert penstock("share", "reset", "again", "--all-topics", "--to-earliest", "--yes").code == ExitCode.OK
    assert lags(penstock, "again") == {0: 4, 1: 4}
    assert penstock("share", "reset", "again", "--all-topics", "--to-latest", "--yes").code == ExitCode.OK
    assert lags(penstock, "again") == {0: 0, 1: 0}


def test_a_group_is_deleted_and_then_not_found(penstock: Penstock, client: Client) -> None:
    a_group(client, "old", records=2).close()
    assert "deleted old" in penstock("share", "delete", "old", "--yes").out
    for command in ("describe", "delete"):
        missing = penstock("share", command, "old")
        assert missing.code == ExitCode.NOT_FOUND and "there is no share group 'old'" in missing.err


def test_a_group_of_another_kind_is_named_as_one(penstock: Penstock, client: Client) -> None:
    client.create_topics(["read-classically"]).all()
    with client.consumer(group="no-share-group", topics=("read-classically",)) as consumer:

        def is_listed() -> bool:
            consumer.poll(0.5)  # it joins in here, however many polls that takes
            return "no-share-group" in penstock("group", "list", "--names").out.split()

        eventually(is_listed, "it is listed")
        found = penstock("share", "describe", "no-share-group")
        assert found.code == ExitCode.NOT_FOUND and "is no share group" in found.err
        assert "no-share-group" not in penstock("share", "list", "--names").out.splitlines()


def test_what_a_member_has_is_shown_and_taken_back_for_others(
    penstock: Penstock, client: Client, share_cluster: str
) -> None:
    client.create_topics([NewTopic("held", 1)]).all()
    eventually(lambda: "held" in client.list_topics(), "held is known")
    earliest(client, "held")
    with client.producer() as producer:
        producer.send("held", b"one")
    with client.share_consumer(group="held", topics=("held",), auto_accept=False) as holder:
        (record,) = holder.poll(PATIENCE_S)
        shown = penstock("share", "inflight", "held", "--json")
        if shown.code == ExitCode.OK:  # Apache Kafka's brokers do not tell
            (row,) = json.loads(shown.out)
            assert 0 < row.pop("lock_left_ms") <= 3_000
            told = {"topic": "held", "partition": 0, "first": 0, "last": 0, "deliveries": record.delivery_count}
            assert row == told | {"member": holder.member_id, "client": row["client"]}
            assert holder.member_id in penstock("share", "inflight", "held", "--topic", "held").out
            assert json.loads(penstock("share", "inflight", "held", "--topic", "other", "--json").out) == []
        else:
            assert "does not tell" in shown.err
        released = json.loads(penstock("share", "release", "held", "--member", holder.member_id, "--json").out)
        assert released == [{"member": holder.member_id, "sessions": 1}]
        with client.share_consumer(group="held", topics=("held",)) as other:
            (again,) = other.poll(PATIENCE_S)
            assert (again.offset, again.delivery_count) == (0, record.delivery_count + 1)
    missing = penstock("share", "release", "held", "--member", "nobody")
    assert missing.code == ExitCode.NOT_FOUND and "has no member nobody" in missing.err
