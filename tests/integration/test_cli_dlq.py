"""penstock dlq ... against a running broker."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from tests.support.clients import fresh_name, read_to_end
from tests.support.command import Penstock
from tests.support.dead_letters import group_of, headers_of, make_dead_letter_topic, make_topic

from penstock.cli.dlq import moving
from penstock.cli.dlq.letters import Filter
from penstock.cli.exits import ExitCode
from penstock.client import Client, place
from penstock.errors import NetworkFailure
from penstock.wire.records import Record

SENT_AT = ("penstock-sent-at", b"1000")


@pytest.fixture
def client(bootstrap: str) -> Iterator[Client]:
    with Client(bootstrap, timeout_s=60) as client:
        yield client


def with_letters(client: Client, partitions: int = 2) -> tuple[str, str]:
    """A topic and its dead-letter topic, as brokers fill it: four records of two groups, and one without a record."""
    source = fresh_name("orders")
    letters = f"dlq.{source}"
    make_topic(client, source, partitions)
    make_dead_letter_topic(client, letters, partitions)
    with client.producer() as producer:
        for number in range(5):
            headers = {
                "topic": source if number < 4 else "gone",
                "partition": str(number % partitions),
                "offset": str(100 + number),
                "group": "mailers" if number < 3 else "billers",
                "message": "Offset rejected by client." if number % 2 else "Acquisition lock timed out.",
                "delivery.count": "5",
            }
            own = [("trace", b"%d" % number)]
            kept = [(f"__dlq.errors.{name}", value.encode()) for name, value in headers.items()]
            told = (*own, *kept, SENT_AT)
            producer.send(letters, b"%d" % number, key=b"k", headers=told, partition=number % partitions)
        producer.send(letters, None, headers=(*kept, SENT_AT), partition=0)
    return source, letters


def values(bootstrap: str, topic: str, partitions: int = 2) -> list[bytes | None]:
    return sorted(
        (each.value() for index in range(partitions) for each in read_to_end(bootstrap, topic, index)),
        key=lambda value: value or b"",
    )


def test_dead_letter_topics_are_listed_with_what_is_in_them(penstock: Penstock, client: Client) -> None:
    _, letters = with_letters(client)
    rows = {row["name"]: row for row in json.loads(penstock("dlq", "list", "--json").out)}
    assert (rows[letters]["partitions"], rows[letters]["letters"], rows[letters]["is_enabled"]) == (2, 6, True)
    assert letters in penstock("dlq", "list").out


def test_letters_are_shown_with_where_they_are_from_and_why(penstock: Penstock, client: Client) -> None:
    source, letters = with_letters(client)
    rows = json.loads(penstock("dlq", "show", letters, "--group", "mailers", "--json").out)
    assert sorted((row["source_topic"], row["source_offset"], row["value"]) for row in rows) == [
        (source, 100, "0"),
        (source, 101, "1"),
        (source, 102, "2"),
    ]
    assert rows[0]["headers"] == [{"name": "trace", "value": rows[0]["value"]}]
    rejected = json.loads(penstock("dlq", "show", letters, "--reason", "REJECTED", "--json").out)
    assert sorted(row["value"] for row in rejected) == ["1", "3"]
    assert f"{source}:0:100" in penstock("dlq", "show", letters, "--source", source).out
    assert json.loads(penstock("dlq", "show", letters, "--since", "now", "--json").out) == []
    assert "there are more" in penstock("dlq", "show", letters, "--limit", "1").err


def test_what_is_no_dead_letter_topic_is_left_alone(penstock: Penstock, client: Client) -> None:
    source, letters = with_letters(client)
    for command in (("show",), ("redrive",), ("purge", "--yes")):
        assert "is no dead-letter topic" in penstock("dlq", command[0], source, *command[1:]).err
        assert penstock("dlq", command[0], "dlq.nowhere", *command[1:]).code == ExitCode.NOT_FOUND
    assert penstock("dlq", "show", letters, "--since", "soon").code == ExitCode.USAGE


def test_redrive_writes_records_back_as_they_were_and_only_once(
    penstock: Penstock, client: Client, bootstrap: str
) -> None:
    source, letters = with_letters(client)
    dry = json.loads(penstock("dlq", "redrive", letters, "--dry-run", "--json").out)
    assert dry == {"moved": {source: 4}, "empty": 1, "lost": 1, "left_out": 0}
    assert values(bootstrap, source) == []
    shown = penstock("dlq", "redrive", letters)
    assert shown.out == f"moved: 4 records to {source}\n"
    assert "1 letters come from topics that are gone" in shown.err
    assert values(bootstrap, source) == [b"0", b"1", b"2", b"3"]
    (first, _) = read_to_end(bootstrap, source, 1)
    assert (first.key(), headers_of(first)) == (b"k", {"trace": "1"})
    assert "nothing to move is left" in penstock("dlq", "redrive", letters).err
    assert len(values(bootstrap, source)) == 4


def test_redrive_takes_what_is_chosen_goes_elsewhere_and_stops_at_a_limit(
    penstock: Penstock, client: Client, bootstrap: str
) -> None:
    source, letters = with_letters(client)
    assert "moved: 1 records" in penstock("dlq", "redrive", letters, "--group", "billers", "--source", source).out
    assert values(bootstrap, source) == [b"3"]
    elsewhere = fresh_name("elsewhere")
    make_topic(client, elsewhere)
    for _ in range(2):
        moved = penstock("dlq", "redrive", letters, "--to", elsewhere, "--limit", "2", "--rate", "1000")
        assert moved.out == f"moved: 2 records to {elsewhere}\n"
    assert len(values(bootstrap, elsewhere, 1)) == 4


def test_a_redrive_whose_answers_are_lost_goes_on_where_it_had_come_to(
    penstock: Penstock, client: Client, bootstrap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, letters = with_letters(client)
    steps: list[str] = []
    whole = moving.move

    def losing(*arguments: object) -> None:
        """The first one is not carried out, the second one is; nobody hears of either."""
        steps.append("move")
        if len(steps) != 1:
            whole(*arguments)  # type: ignore[arg-type]
        if len(steps) <= 2:
            raise NetworkFailure("the answer was lost")

    monkeypatch.setattr("penstock.cli.dlq.redrive.move", losing)
    monkeypatch.setattr("penstock.cli.dlq.redrive.PAUSE_S", 0.0)
    assert penstock("dlq", "redrive", letters).code == ExitCode.OK
    assert values(bootstrap, source) == [b"0", b"1", b"2", b"3"]


def test_what_another_redrive_left_open_is_aborted(penstock: Penstock, client: Client, bootstrap: str) -> None:
    source, letters = with_letters(client)
    name = f"penstock-redrive.{letters}"
    open_one = moving._open(client.core, name, {place(source, 0): [Record(0, 1_000, None, b"lost", ())]})
    client.run(open_one)
    assert penstock("dlq", "redrive", letters).code == ExitCode.OK
    committed = read_to_end(bootstrap, source, 0, isolation_level="read_committed")
    assert sorted(each.value() for each in committed) == [b"0", b"2"]  # type: ignore[type-var]


def test_purge_deletes_all_or_what_is_older(penstock: Penstock, client: Client, bootstrap: str) -> None:
    _, letters = with_letters(client)
    long_ago, now = "2001-01-01", str(int(time.time() * 1000) + 60_000)
    assert penstock("dlq", "purge", letters).code == ExitCode.USAGE
    assert penstock("dlq", "purge", letters, "--before", long_ago, "--yes").out.startswith("deleted: 0")
    assert penstock("dlq", "purge", letters, "--dry-run").out.startswith("would delete: 6")
    assert len(values(bootstrap, letters)) == 6
    assert json.loads(penstock("dlq", "purge", letters, "--before", now, "--yes", "--json").out)["deleted"] == 6
    assert json.loads(penstock("dlq", "show", letters, "--json").out) == []


def test_a_group_that_names_a_missing_topic_is_told(penstock: Penstock, client: Client) -> None:
    topic, group = fresh_name("orders"), fresh_name("workers")
    make_topic(client, topic)
    group_of(client, group, errors__deadletterqueue__topic__name=f"dlq.{group}")
    with client.share_consumer(group=group, topics=(topic,)) as consumer:
        consumer.poll(5.0)
        row = next(row for row in json.loads(penstock("dlq", "list", "--json").out) if row["name"] == f"dlq.{group}")
    assert (row["partitions"], row["groups"]) == (0, [group])
    assert Filter().mark == "" != Filter(group="a").mark
