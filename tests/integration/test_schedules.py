"""Schedule topics with stock clients: never early, each record once, cancels, transactions, times of day."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from itertools import pairwise

import pytest
from confluent_kafka import OFFSET_END, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewPartitions, NewTopic
from tests.support.clients import assigned_consumer, read_to_end
from tests.support.faults import eventually

import penstock.testing as penstock_testing

NOTHING: Mapping[str, str] = {}


@pytest.fixture(scope="module")
def bootstrap() -> Iterator[str]:
    with penstock_testing.broker({"node.id": "1"}) as running:
        yield running.bootstrap


def make_topics(bootstrap: str, target: str, *, partitions: int = 1, config: Mapping[str, str] = NOTHING) -> str:
    """The target and its schedule topic, of which the name is given."""
    admin, schedule = AdminClient({"bootstrap.servers": bootstrap}), f"{target}.later"
    for topic in (
        NewTopic(target, num_partitions=partitions, replication_factor=1),
        NewTopic(schedule, num_partitions=partitions, config={"penstock.schedule.target": target, **config}),
    ):
        for future in admin.create_topics([topic]).values():
            future.result(30)
    return schedule


def now_ms() -> int:
    return int(time.time() * 1000)


def produce(bootstrap: str, topic: str, values: list[bytes | None], headers: dict[str, str], key: bytes = b"k") -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    for value in values:
        producer.produce(topic, value, key=key, headers={name: text.encode() for name, text in headers.items()})
    assert producer.flush(30) == 0


def values_of(bootstrap: str, topic: str, partition: int = 0) -> list[bytes | None]:
    return [record.value() for record in read_to_end(bootstrap, topic, partition)]


def headers_of(record: Message) -> dict[str, str]:
    pairs: list[tuple[str, bytes]] = record.headers() or []  # type: ignore[assignment]
    return {name: value.decode() for name, value in pairs}


def test_records_come_to_their_target_when_they_are_due_and_not_before(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "due")
    produce(bootstrap, schedule, [b"b"], {"penstock-delay-ms": "1500"})
    produce(bootstrap, schedule, [b"a"], {"penstock-deliver-at": str(now_ms() - 5_000)})
    eventually(lambda: len(values_of(bootstrap, "due")) == 2, "both records")
    first, second = read_to_end(bootstrap, "due", 0)
    assert (first.value(), second.value()) == (b"a", b"b")
    for record in (first, second):
        headers = headers_of(record)
        assert record.timestamp()[1] >= int(headers["penstock-due"])
        assert headers["penstock-scheduled-from"].startswith("due.later-0@")
        assert set(headers) == {"penstock-due", "penstock-scheduled-from", "penstock-sent-at"}


def test_s3_records_are_fired_by_their_times_and_ties_by_offset(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "order")
    at = now_ms() + 2_000
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20, "compression.type": "zstd"})
    for number in range(300):
        due = at + (number * 37) % 100
        producer.produce("order.later", b"%d" % number, headers={"penstock-deliver-at": str(due).encode()})
    assert producer.flush(30) == 0 and schedule == "order.later"
    eventually(lambda: len(values_of(bootstrap, "order")) == 300, "all records")
    expected = sorted(range(300), key=lambda number: ((number * 37) % 100, number))
    assert values_of(bootstrap, "order") == [b"%d" % number for number in expected]


def test_s5_aborted_records_never_fire_and_open_transactions_wait(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "decided")
    producers = {}
    for name in ("aborts", "commits"):
        producers[name] = Producer({"bootstrap.servers": bootstrap, "transactional.id": name})
        producers[name].init_transactions(30)
        producers[name].begin_transaction()
        producers[name].produce(schedule, name.encode(), headers={"penstock-delay-ms": b"0"})
        producers[name].flush(30)
    producers["aborts"].abort_transaction(30)
    produce(bootstrap, schedule, [b"behind"], {"penstock-delay-ms": "0"})
    time_passes(bootstrap, "decided")
    assert values_of(bootstrap, "decided") == []
    producers["commits"].commit_transaction(30)
    eventually(lambda: len(values_of(bootstrap, "decided")) == 2, "what was committed")
    time_passes(bootstrap, "decided")
    assert values_of(bootstrap, "decided") == [b"commits", b"behind"]


def time_passes(bootstrap: str, target: str) -> None:
    """A record of another schedule topic of the same target comes and goes: whoever was due before it had the time."""
    # The broker looks at all its schedule topics at least once a second.
    other = f"{target}-{now_ms()}"
    produce(bootstrap, make_topics(bootstrap, other), [b"v"], {"penstock-delay-ms": "1200"})
    eventually(lambda: len(values_of(bootstrap, other)) == 1, "the time that passes")


def test_s6_a_cancel_that_was_acknowledged_wins(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "cancelled")
    for name in ("a", "b"):
        produce(bootstrap, schedule, [name.encode()], {"penstock-delay-ms": "2500", "penstock-schedule-id": name})
    produce(bootstrap, schedule, [None], {"penstock-schedule-id": "a"})
    produce(bootstrap, schedule, [None], {"penstock-schedule-id": "b"}, key=b"another")
    eventually(lambda: len(values_of(bootstrap, "cancelled")) > 0, "the one that was not cancelled")
    time_passes(bootstrap, "cancelled")
    assert values_of(bootstrap, "cancelled") == [b"b"]


def test_a_recurring_record_fires_until_it_is_cancelled(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "recurring")
    produce(bootstrap, schedule, [b"tick"], {"penstock-cron": "* * * * * *", "penstock-schedule-id": "tick"})
    eventually(lambda: len(values_of(bootstrap, "recurring")) >= 3, "three ticks")
    produce(bootstrap, schedule, [None], {"penstock-schedule-id": "tick"})
    time_passes(bootstrap, "recurring")
    ticks = read_to_end(bootstrap, "recurring", 0)
    dues = [int(headers_of(tick)["penstock-due"]) for tick in ticks]
    assert all(later - earlier == 1_000 for earlier, later in pairwise(dues)) and dues[0] % 1_000 == 0
    assert all(tick.timestamp()[1] >= due for tick, due in zip(ticks, dues, strict=True))
    time_passes(bootstrap, "recurring")
    assert len(values_of(bootstrap, "recurring")) == len(dues)


def refusal_of(bootstrap: str, topic: str, headers: dict[str, str], key: bytes | None) -> int | None:
    codes = []
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    producer.produce(
        topic,
        b"v",
        key=key,
        headers={name: text.encode() for name, text in headers.items()},
        on_delivery=lambda error, _record: codes.append(None if error is None else error.code()),
    )
    assert producer.flush(30) == 0
    return codes[0]


def test_s7_and_nonsense_is_refused_with_its_index_and_nothing_is_stuck(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "refusing", config={"penstock.schedule.max.ms": "86400000"})
    table: list[tuple[dict[str, str], bytes | None, int]] = [
        ({}, b"k", KafkaError.INVALID_RECORD),
        ({"penstock-deliver-at": "soon"}, b"k", KafkaError.INVALID_RECORD),
        ({"penstock-cron": "nonsense"}, b"k", KafkaError.INVALID_RECORD),
        ({"penstock-delay-ms": "1", "penstock-schedule-id": "x"}, None, KafkaError.INVALID_RECORD),
        ({"penstock-deliver-at": "3026-01-01T00:00:00Z"}, b"k", KafkaError.POLICY_VIOLATION),
    ]
    for headers, key, code in table:
        assert refusal_of(bootstrap, schedule, headers, key) == code, headers
    produce(bootstrap, schedule, [b"good"], {"penstock-delay-ms": "0"})
    eventually(lambda: values_of(bootstrap, "refusing") == [b"good"], "the good one")


def test_the_rules_of_schedule_topics_are_told_in_words(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "ruled", partitions=2)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    assert len(admin.list_topics(schedule, 30).topics[schedule].partitions) == 2
    refused = [
        (admin.delete_topics(["ruled"])["ruled"], "POLICY_VIOLATION"),
        (admin.create_topics([NewTopic("nowhere", config={"penstock.schedule.target": "none"})])["nowhere"], "none"),
        (admin.create_partitions([NewPartitions(schedule, 3)])[schedule], "which has 2"),
        (_alter(admin, schedule, "penstock.schedule.target", "other"), "not altered"),
        (_alter(admin, schedule, "cleanup.policy", "compact"), "cannot be compacted"),
        (_alter(admin, schedule, "penstock.schedule.delay.ms", "5"), "not altered"),
        (
            admin.create_topics([NewTopic("plain", config={"penstock.schedule.delay.ms": "5"})])["plain"],
            "no record waits",
        ),
    ]
    for future, words in refused:
        with pytest.raises(KafkaException, match=words):
            future.result(30)
    admin.create_partitions([NewPartitions("ruled", 4)])["ruled"].result(30)
    eventually(lambda: len(admin.list_topics(schedule, 30).topics[schedule].partitions) == 4, "growth with the target")


def _alter(admin: AdminClient, topic: str, name: str, value: str) -> Future[None]:
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    (future,) = admin.incremental_alter_configs([resource]).values()
    return future


def test_s8_what_its_target_would_refuse_for_good_is_held_and_holds_up_nothing(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "choosy", partitions=2)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    _alter(admin, "choosy", "penstock.dedup.by", "header:id").result(30)
    _alter(admin, "choosy", "max.message.bytes", "5000").result(30)
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    now: list[tuple[str, str | bytes | None]] = [("penstock-delay-ms", b"0")]
    for value, key, headers in (
        (b"an id without a key", None, [*now, ("id", b"7")]),
        (b"too large" * 1_000, b"k", now),
        (b"good", b"k", [*now, ("id", b"8")]),
    ):
        producer.produce(schedule, value, key, partition=0, headers=headers)
        assert producer.flush(30) == 0
    eventually(lambda: values_of(bootstrap, "choosy") == [b"good"], "the one that it takes")


def test_s4_waiting_records_cannot_be_deleted_and_finished_ones_go(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "kept")
    produce(bootstrap, schedule, [b"fired"] * 5, {"penstock-delay-ms": "0"})
    produce(bootstrap, schedule, [b"waits"], {"penstock-delay-ms": "60000"})
    admin = AdminClient({"bootstrap.servers": bootstrap})
    at_end = TopicPartition(schedule, 0, OFFSET_END)
    with pytest.raises(KafkaException, match="POLICY_VIOLATION"):
        admin.delete_records([at_end])[at_end].result(30)
    with assigned_consumer(bootstrap, TopicPartition(schedule, 0)) as consumer:
        (waits,) = (record for record in read_to_end(bootstrap, schedule, 0) if record.value() == b"waits")
        at = TopicPartition(schedule, 0)
        eventually(lambda: consumer.get_watermark_offsets(at, 30)[0] == waits.offset(), "a start at what waits")


def test_s4_a_broker_that_is_killed_knows_what_waits() -> None:
    with penstock_testing.broker({"node.id": "1"}) as running:
        schedule = make_topics(running.bootstrap, "known")
        produce(running.bootstrap, schedule, [b"%d" % n for n in range(50)], {"penstock-delay-ms": "0"})
        produce(running.bootstrap, schedule, [b"later"], {"penstock-delay-ms": "4000", "penstock-schedule-id": "x"})
        produce(running.bootstrap, schedule, [b"never"], {"penstock-delay-ms": "4000", "penstock-schedule-id": "y"})
        produce(running.bootstrap, schedule, [None], {"penstock-schedule-id": "y"})
        produce(running.bootstrap, schedule, [b"tick"], {"penstock-cron": "@every 2s"})
        eventually(lambda: len(values_of(running.bootstrap, "known")) >= 50, "what is due at once")
        running.kill()
        running.start()
        eventually(lambda: b"later" in values_of(running.bootstrap, "known"), "what was due later")
        time_passes(running.bootstrap, "known")
        fired = Counter(values_of(running.bootstrap, "known"))
        assert fired.pop(b"tick") >= 1
        assert fired == Counter({**{b"%d" % n: 1 for n in range(50)}, b"later": 1})


def test_s6_a_cancel_in_a_transaction_counts_once_it_is_committed_whatever_is_open_before_it(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "undecided")
    for name in ("a", "b"):
        produce(bootstrap, schedule, [name.encode()], {"penstock-delay-ms": "4000", "penstock-schedule-id": name})
    producers = {}
    for name in ("first", "a", "b"):
        producers[name] = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"undecided-{name}"})
        producers[name].init_transactions(30)
        producers[name].begin_transaction()
        if name == "first":
            producers[name].produce(schedule, b"open", headers={"penstock-delay-ms": b"0"})
        else:
            producers[name].produce(schedule, None, key=b"k", headers={"penstock-schedule-id": name.encode()})
        producers[name].flush(30)
    producers["a"].commit_transaction(30)
    produce(bootstrap, schedule, [b"sees the time"], {"penstock-delay-ms": "4000"})
    time_passes(bootstrap, "undecided")
    time_passes(bootstrap, "undecided")
    time_passes(bootstrap, "undecided")
    assert values_of(bootstrap, "undecided") == [], "one is cancelled, of the other it is not decided"
    producers["b"].abort_transaction(30)
    eventually(lambda: values_of(bootstrap, "undecided") == [b"b"], "the one whose cancel was aborted")
    producers["first"].commit_transaction(30)
    eventually(lambda: len(values_of(bootstrap, "undecided")) == 3, "what was committed")
    assert sorted(filter(None, values_of(bootstrap, "undecided"))) == [b"b", b"open", b"sees the time"]


def test_s6_a_cancel_behind_an_open_transaction_wins_too(bootstrap: str) -> None:
    schedule = make_topics(bootstrap, "behind")
    produce(bootstrap, schedule, [b"cancelled"], {"penstock-delay-ms": "2500", "penstock-schedule-id": "a"})
    produce(bootstrap, schedule, [b"fired"], {"penstock-delay-ms": "2500"})
    opened = Producer({"bootstrap.servers": bootstrap, "transactional.id": "stays open"})
    opened.init_transactions(30)
    opened.begin_transaction()
    opened.produce(schedule, b"open", headers={"penstock-delay-ms": b"0"})
    opened.flush(30)
    produce(bootstrap, schedule, [None], {"penstock-schedule-id": "a"})
    eventually(lambda: len(values_of(bootstrap, "behind")) > 0, "the one that was not cancelled")
    time_passes(bootstrap, "behind")
    assert values_of(bootstrap, "behind") == [b"fired"]
    opened.commit_transaction(30)
    eventually(lambda: values_of(bootstrap, "behind") == [b"fired", b"open"], "what was committed")
