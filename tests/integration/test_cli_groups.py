"""penstock group ... against a running broker."""

import json
import time
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.command import Penstock
from tests.support.coordinators import NOT_THERE_YET
from tests.support.group_clients import fresh_name, group_consumer, topic_with_records, wait_for_shares

from penstock.cli.exits import ExitCode

WITHIN_S = 120.0
HOUR_MS = 3_600_000


def a_group(bootstrap: str, topic: str, offsets: dict[int, int]) -> str:
    """An empty group that has committed."""
    group = fresh_name("group")
    commit(bootstrap, group, topic, offsets)
    return group


def commit(bootstrap: str, group: str, topic: str, offsets: dict[int, int]) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    places = [TopicPartition(topic, index, offset) for index, offset in offsets.items()]
    deadline = time.monotonic() + WITHIN_S
    while True:
        asked = [ConsumerGroupTopicPartitions(group, places)]
        done = admin.alter_consumer_group_offsets(asked)[group].result(WITHIN_S)
        errors = [place.error for place in done.topic_partitions if place.error is not None]
        if not errors:
            return
        # The first group of a cluster finds its coordinator loading. These errors never call themselves retriable.
        assert {error.code() for error in errors} <= NOT_THERE_YET and time.monotonic() < deadline, errors
        time.sleep(0.1)


def committed(penstock: Penstock, group: str) -> dict[int, int]:
    (described,) = json.loads(penstock("group", "describe", group, "--json").out)
    return {place["partition"]: place["committed"] for place in described["partitions"]}


def test_groups_are_listed_with_their_state(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "listed", 0)
    idle, busy = a_group(bootstrap, topic, {0: 0}), fresh_name("group")
    with group_consumer(bootstrap, busy, topic) as consumer:
        wait_for_shares([consumer], 4)
        listed = {each["group"]: each for each in json.loads(penstock("group", "list", "--json").out)}
        assert (listed[idle]["state"], listed[busy]["state"], listed[busy]["type"]) == ("empty", "stable", "classic")
        names = penstock("group", "list", "--names", "--state", "empty").out.splitlines()
        assert idle in names and busy not in names
        assert [idle, "empty", "classic"] in [line.split() for line in penstock("group", "list").out.splitlines()]


def test_a_group_is_described_with_members_and_offsets(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "described", 40)
    group = a_group(bootstrap, topic, {0: 4})
    with group_consumer(bootstrap, group, topic, client_id="cart", group_instance_id="cart-1") as consumer:
        wait_for_shares([consumer], 4)
        (described,) = json.loads(penstock("group", "describe", group, "--json").out)
        (member,) = described["members"]
        assert (described["state"], described["assignor"], described["lag_records"]) == ("stable", "range", 6)
        assert (member["client"], member["instance"], len(member["partitions"])) == ("cart", "cart-1", 4)
        first, second, *_ = described["partitions"]
        assert (first["committed"], first["end"], first["lag_records"], first["client"]) == (4, 10, 6, "cart")
        assert (second["committed"], second["end"], second["lag_records"]) == (None, 10, None)
        shown = [line.split() for line in penstock("group", "describe", group).out.splitlines()]
        assert [topic, "0", "4", "10", "6", "cart"] in shown and [topic, "1", "-", "10", "-", "cart"] in shown
        assert f"{topic}:0-3" in shown[3]


def lag_of(penstock: Penstock, *arguments: str) -> dict[str, Any]:
    outcome = penstock("group", "lag", *arguments, "--json")
    assert outcome.code == ExitCode.OK, outcome.err
    (measured,) = json.loads(outcome.out)
    assert isinstance(measured, dict)
    return measured


def test_lag_is_told_in_records_and_in_seconds(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "lag", 0, partitions=3)
    producer = Producer({"bootstrap.servers": bootstrap})
    now_ms = int(time.time() * 1_000)
    for hours_ago in (3, 2, 1):
        producer.produce(topic, b"x", partition=0, timestamp=now_ms - hours_ago * HOUR_MS)
        producer.produce(topic, b"x", partition=1, timestamp=now_ms - hours_ago * HOUR_MS)
    assert producer.flush(WITHIN_S) == 0
    group = a_group(bootstrap, topic, {0: 1, 1: 3, 2: 0})
    measured = lag_of(penstock, group)
    partitions = measured["partitions"]
    assert [each["lag_records"] for each in partitions] == [2, 0, 0]
    # Told in whole milliseconds.
    assert 7_200 <= partitions[0]["lag_seconds"] <= 7_200 + time.time() - now_ms / 1_000 + 0.001
    assert [each["lag_seconds"] for each in partitions[1:]] == [0, 0]
    assert (measured["lag_records"], measured["lag_seconds"]) == (2, partitions[0]["lag_seconds"])
    assert lag_of(penstock, group, "--total").keys() == {"group", "lag_records", "lag_seconds"}
    shown = [line.split() for line in penstock("group", "lag", group).out.splitlines()]
    assert [group, topic, "1", "3", "3", "0", "0.0", "-"] in shown
    assert shown[-1][:6] == [group, "total", "-", "-", "-", "2"]


def test_lag_of_all_groups_is_a_line_each(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "every", 8)
    groups = {a_group(bootstrap, topic, {0: 0}), a_group(bootstrap, topic, {0: 1})}
    shown = penstock("group", "lag", "--total").out.splitlines()
    assert groups <= {line.split()[0] for line in shown}


def test_lag_of_a_group_that_has_committed_nothing_is_unknown(penstock: Penstock, bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "uncommitted", 8), fresh_name("group")
    with group_consumer(bootstrap, group, topic) as consumer:
        wait_for_shares([consumer], 4)
        measured = lag_of(penstock, group)
        assert (measured["lag_records"], measured["lag_seconds"]) == (None, None)


def test_lag_is_watched_until_ctrl_c(penstock: Penstock, bootstrap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = topic_with_records(bootstrap, "watched", 8)
    group = a_group(bootstrap, topic, {0: 0})
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            raise KeyboardInterrupt
        commit(bootstrap, group, topic, {0: 2})

    monkeypatch.setattr("penstock.cli.group.lag.time.sleep", nap)
    watched = penstock("group", "lag", group, "--watch", "--every", "7", "--total", "--json")
    assert watched.code == ExitCode.INTERRUPTED and naps == [7, 7]
    assert [json.loads(line)[0]["lag_records"] for line in watched.out.splitlines()] == [2, 0]


def test_a_reset_is_planned_first_and_done_with_yes(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "reset", 40)
    group = a_group(bootstrap, topic, {0: 4, 1: 10})
    planned = penstock("group", "reset", group, "--topic", f"{topic}:0-2", "--to-earliest")
    assert planned.code == ExitCode.OK and "nothing was changed" in planned.err
    shown = [line.split() for line in planned.out.splitlines()]
    assert shown == [
        ["topic", "partition", "from", "to", "change"],
        [topic, "0", "4", "0", "-4"],
        [topic, "1", "10", "0", "-10"],
        [topic, "2", "-", "0", "-"],
    ]
    assert committed(penstock, group) == {0: 4, 1: 10}
    done = penstock("group", "reset", group, "--topic", f"{topic}:0-2", "--to-earliest", "--yes")
    assert (done.code, done.out) == (ExitCode.OK, planned.out)
    assert done.err == f"done: 3 partitions of {group} moved\n"
    assert committed(penstock, group) == {0: 0, 1: 0, 2: 0}
    again = penstock("group", "reset", group, "--topic", f"{topic}:0-2", "--to-earliest", "--yes")
    assert again.code == ExitCode.OK and "nothing to change" in again.err


@pytest.mark.parametrize(
    ("target", "offset"),
    [
        (["--to-offset", "7"], 7),
        (["--to-offset", "70"], 10),
        (["--to-latest"], 10),
        (["--shift-by", "-3"], 1),
        (["--shift-by", "2"], 6),
        (["--to-time", "1970-01-02T00:00"], 0),
        (["--to-time", "2100-01-01T00:00"], 10),
        (["--by-duration", "1h"], 0),
    ],
)
def test_a_reset_goes_where_it_is_told(penstock: Penstock, bootstrap: str, target: list[str], offset: int) -> None:
    topic = topic_with_records(bootstrap, "targets", 10, partitions=1)
    group = a_group(bootstrap, topic, {0: 4})
    done = penstock("group", "reset", group, "--all-topics", *target, "--yes", "--json")
    assert done.code == ExitCode.OK, done.err
    (moved,) = json.loads(done.out)["partitions"]
    assert (moved["from"], moved["to"], moved["change"]) == (4, offset, offset - 4)
    assert committed(penstock, group) == {0: offset}


def test_a_reset_by_time_finds_the_first_record_from_then(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "times", 0, partitions=1)
    producer = Producer({"bootstrap.servers": bootstrap})
    for hours_ago in (3, 2, 1):
        producer.produce(topic, b"x", timestamp=int(time.time() * 1_000) - hours_ago * HOUR_MS)
    assert producer.flush(WITHIN_S) == 0
    group = a_group(bootstrap, topic, {0: 3})
    assert penstock("group", "reset", group, "-t", topic, "--by-duration", "2h30m", "-y").code == ExitCode.OK
    assert committed(penstock, group) == {0: 1}


def test_a_group_with_members_is_neither_reset_nor_deleted_and_they_are_named(
    penstock: Penstock, bootstrap: str
) -> None:
    topic, group = topic_with_records(bootstrap, "active", 8), fresh_name("group")
    with group_consumer(bootstrap, group, topic, client_id="till-7") as consumer:
        wait_for_shares([consumer], 4)
        for command in (["reset", group, "-t", topic, "--to-earliest", "-y"], ["delete", group, "-y"]):
            refused = penstock("group", *command)
            assert refused.code == ExitCode.FAILED and refused.out == ""
            assert "it has 1 member" in refused.err and "till-7 on 127.0.0.1" in refused.err


def test_a_reset_may_create_a_group_when_told_to(penstock: Penstock, bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "created", 4, partitions=1), fresh_name("group")
    command = ["group", "reset", group, "-t", topic, "--to-latest", "-y"]
    refused = penstock(*command)
    assert refused.code == ExitCode.NOT_FOUND and "--create" in refused.err
    assert penstock(*command, "--create").code == ExitCode.OK
    assert committed(penstock, group) == {0: 4}


def test_topics_and_partitions_that_do_not_exist_are_exit_code_4(penstock: Penstock, bootstrap: str) -> None:
    topic = topic_with_records(bootstrap, "missing", 4)
    group = a_group(bootstrap, topic, {0: 0})
    for choice, words in (("no-such-topic", "there is no topic"), (f"{topic}:9", "has no partition 9")):
        missing = penstock("group", "reset", group, "-t", choice, "--to-latest")
        assert missing.code == ExitCode.NOT_FOUND and words in missing.err


def test_a_deleted_group_is_gone(penstock: Penstock, bootstrap: str) -> None:
    group = a_group(bootstrap, topic_with_records(bootstrap, "deleted", 4), {0: 1})
    assert penstock("group", "delete", group).code == ExitCode.USAGE  # nobody to ask
    assert penstock("group", "delete", group, "--yes").out == f"deleted {group}\n"
    assert group not in penstock("group", "list", "--names").out


@pytest.mark.parametrize("command", [["describe"], ["lag"], ["delete", "-y"], ["reset", "-t", "t", "--to-latest"]])
def test_a_group_that_does_not_exist_is_exit_code_4(penstock: Penstock, command: list[str]) -> None:
    missing = penstock("group", *command, "no-such-group")
    assert missing.code == ExitCode.NOT_FOUND and "there is no group 'no-such-group'" in missing.err


def test_a_misspelt_group_is_guessed(penstock: Penstock, bootstrap: str) -> None:
    group = a_group(bootstrap, topic_with_records(bootstrap, "guess", 4), {0: 1})
    assert f"Did you mean {group}" in penstock("group", "lag", group + "x").err
