"""penstock schedule ... against a running broker."""

from __future__ import annotations

import json

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import fresh_name, read_to_end
from tests.support.command import Penstock
from tests.support.faults import eventually

from penstock.cli.exits import ExitCode

LATER = "86400000"


def waiting_topic(bootstrap: str) -> tuple[str, str]:
    """A target and its schedule topic, in which three records wait and one was fired."""
    admin, target = AdminClient({"bootstrap.servers": bootstrap}), fresh_name("target")
    for topic in (
        NewTopic(target, num_partitions=2),
        NewTopic(f"{target}.later", config={"penstock.schedule.target": target}),
    ):
        for future in admin.create_topics([topic]).values():
            future.result(30)
    producer = Producer({"bootstrap.servers": bootstrap})
    schedule = f"{target}.later"
    for value, partition, headers in (
        (b"fired", 0, {"penstock-delay-ms": "0"}),
        (b"last", 0, {"penstock-delay-ms": "90000000", "penstock-schedule-id": "b"}),
        (b"first", 1, {"penstock-delay-ms": LATER, "penstock-schedule-id": "a"}),
        (b"daily", 1, {"penstock-cron": "@every 2d"}),
    ):
        sent: list[tuple[str, str | bytes | None]] = list(headers.items())
        producer.produce(schedule, value, key=b"k", partition=partition, headers=sent)
    assert producer.flush(30) == 0
    eventually(lambda: len(read_to_end(bootstrap, target, 0)) == 1, "the one that is due")
    return target, schedule


def test_what_waits_is_listed_shown_and_counted(penstock: Penstock, bootstrap: str) -> None:
    _, schedule = waiting_topic(bootstrap)
    rows = json.loads(penstock("schedule", "list", schedule, "--json").out)
    assert [(row["id"], row["partition"], row["recurring"]) for row in rows] == [
        ("a", 1, False),
        ("b", 0, False),
        (None, 1, True),
    ]
    assert "again and again" in penstock("schedule", "list", schedule).out
    assert penstock("schedule", "list", schedule, "--limit", "1").err.startswith("2 more wait")
    place = f"1:{rows[0]['offset']}"
    shown = json.loads(penstock("schedule", "show", schedule, place, "--json").out)
    assert shown["value"] == "first" and shown["headers"]["penstock-delay-ms"] == LATER
    assert "first" in penstock("schedule", "show", schedule, place).out
    assert penstock("schedule", "show", schedule, "1:999").code == ExitCode.NOT_FOUND
    assert penstock("schedule", "show", schedule, "here").code == ExitCode.USAGE
    counted = json.loads(penstock("schedule", "stats", schedule, "--json").out)
    assert [(row["waiting"], row["recurring"]) for row in counted] == [(1, 0), (2, 1)]
    assert "first due" in penstock("schedule", "stats", schedule).out


def test_what_waits_is_cancelled_or_fired_by_key_and_id(penstock: Penstock, bootstrap: str) -> None:
    target, schedule = waiting_topic(bootstrap)
    assert penstock("schedule", "cancel", schedule, "--key", "k", "--id", "b").out.startswith("cancelled: 0:")
    assert penstock("schedule", "fire-now", schedule, "--key", "k", "--id", "a").out.startswith("fired: 1:")
    eventually(lambda: [r.value() for r in read_to_end(bootstrap, target, 1)] == [b"first"], "the one fired now")
    rows = json.loads(penstock("schedule", "list", schedule, "--json").out)
    assert [row["recurring"] for row in rows] == [True]
    for command in ("cancel", "fire-now"):
        assert penstock("schedule", command, schedule, "--key", "k", "--id", "b").code == ExitCode.NOT_FOUND


def test_a_topic_that_is_no_schedule_topic_is_said_to_be_none(penstock: Penstock, bootstrap: str) -> None:
    target, _ = waiting_topic(bootstrap)
    outcome = penstock("schedule", "list", target)
    assert outcome.code == ExitCode.FAILED and "is no schedule topic" in outcome.err
