"""Dead letters of share groups on one broker: what goes there, as what, and what happens where that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Thread

import pytest
from confluent_kafka import Message
from tests.support.dead_letters import (
    dead_letters,
    group_of,
    headers_of,
    make_dead_letter_topic,
    make_queue,
    make_topic,
    origins,
)
from tests.support.faults import eventually, metric
from tests.support.share_consumers import ACCEPT, PATIENCE_S, REJECT, RELEASE, share_consumer, taken
from tests.support.shares import share_settings

import penstock.testing as penstock_testing
from penstock.client import Change, Client, Resource, ResourceType
from penstock.errors import InvalidConfig
from penstock.queue import Reject, SharedRecord, Worker
from penstock.testing import RunningBroker


@pytest.fixture(scope="module")
def broker() -> Iterator[RunningBroker]:
    with penstock_testing.broker({"node.id": "1"} | share_settings()) as running:
        yield running


@pytest.fixture
def client(broker: RunningBroker) -> Iterator[Client]:
    with Client(broker.bootstrap, timeout_s=PATIENCE_S) as client:
        yield client


def counted(broker: RunningBroker, name: str, group: str) -> float:
    return metric(broker, name, group=group)


def send(client: Client, topic: str, *values: bytes, **headers: bytes) -> None:
    told = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    with client.producer() as producer:
        for number, value in enumerate(values):
            producer.send(topic, value, key=b"k%d" % number, headers=told, partition=0)


def settle(bootstrap: str, group: str, how: Callable[[Message], object], count: int) -> None:
    """Members of the group acknowledge so many records."""
    with share_consumer(bootstrap, group, group) as consumer:
        seen = 0
        while seen < count:
            seen += len(taken(consumer, how))  # type: ignore[arg-type]


def come(broker: RunningBroker, topic: str, count: int) -> list[Message]:
    eventually(lambda: len(dead_letters(broker.bootstrap, topic)) >= count, f"{count} dead letters")
    return dead_letters(broker.bootstrap, topic)


def test_a_rejected_record_goes_whole_to_the_dead_letter_topic(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.whole")
    make_queue(client, "whole")
    send(client, "whole", b"good", b"bad", trace=b"t-1")
    settle(broker.bootstrap, "whole", lambda each: REJECT if each.value() == b"bad" else ACCEPT, 2)
    (letter,) = come(broker, "dlq.whole", 1)
    assert (letter.key(), letter.value()) == (b"k1", b"bad")
    assert letter.headers()[:7] == [  # type: ignore[index]
        ("trace", b"t-1"),
        ("__dlq.errors.topic", b"whole"),
        ("__dlq.errors.partition", b"0"),
        ("__dlq.errors.offset", b"1"),
        ("__dlq.errors.group", b"whole"),
        ("__dlq.errors.message", b"Offset rejected by client."),
        ("__dlq.errors.delivery.count", b"1"),
    ]
    eventually(lambda: client.share_group_offsets("whole").all().popitem()[1].lag == 0, "nothing is left to be done")
    assert counted(broker, "penstock_dlq_written_total", "whole") == 1


def test_a_record_that_was_given_back_too_often_goes_there(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.often")
    make_queue(client, "often", share__delivery__count__limit="2")
    send(client, "often", b"heavy")
    settle(broker.bootstrap, "often", lambda _: RELEASE, 2)
    (letter,) = come(broker, "dlq.often", 1)
    assert headers_of(letter)["__dlq.errors.message"] == "Offset delivery count exceeded the threshold."
    assert headers_of(letter)["__dlq.errors.delivery.count"] == "2"


def test_many_come_once_each_and_in_their_order(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.many")
    make_queue(client, "many")
    send(client, "many", *(b"%d" % number for number in range(3_000)))
    settle(broker.bootstrap, "many", lambda each: REJECT if (each.offset() or 0) % 3 else ACCEPT, 3_000)
    letters = come(broker, "dlq.many", 2_000)
    assert origins(letters) == [("many", 0, offset) for offset in range(3_000) if offset % 3]


def test_without_copies_a_letter_only_says_where_the_record_is(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.bare")
    make_queue(client, "bare", errors__deadletterqueue__copy__record__enable="false")
    send(client, "bare", b"secret", trace=b"t-1")
    settle(broker.bootstrap, "bare", lambda _: REJECT, 1)
    (letter,) = come(broker, "dlq.bare", 1)
    assert (letter.key(), letter.value()) == (None, None)
    assert "trace" not in headers_of(letter)
    assert origins([letter]) == [("bare", 0, 0)]
    assert counted(broker, "penstock_dlq_pointer_total", "bare") == 0


def test_what_is_too_large_for_the_topic_becomes_a_pointer(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.large", max__message__bytes="2000")
    make_queue(client, "large")
    send(client, "large", b"x" * 5_000, b"small")
    settle(broker.bootstrap, "large", lambda _: REJECT, 2)
    letters = come(broker, "dlq.large", 2)
    assert [each.value() for each in letters] == [None, b"small"]
    assert origins(letters) == [("large", 0, 0), ("large", 0, 1)]
    assert counted(broker, "penstock_dlq_pointer_total", "large") == 1


def test_records_are_held_until_their_topic_is_there(client: Client, broker: RunningBroker) -> None:
    make_queue(client, "held")
    send(client, "held", b"one", b"two")
    settle(broker.bootstrap, "held", lambda _: REJECT, 2)
    eventually(lambda: counted(broker, "penstock_dlq_held_total", "held") == 2, "two held records")
    assert client.share_group_offsets("held").all().popitem()[1].lag == 2
    make_dead_letter_topic(client, "dlq.held")
    assert origins(come(broker, "dlq.held", 2)) == [("held", 0, 0), ("held", 0, 1)]
    assert counted(broker, "penstock_dlq_failed_total", "held") == 0


def test_a_topic_that_does_not_allow_it_gets_none_until_it_does(client: Client, broker: RunningBroker) -> None:
    make_topic(client, "dlq.shy")
    make_queue(client, "shy")
    send(client, "shy", b"one")
    settle(broker.bootstrap, "shy", lambda _: REJECT, 1)
    eventually(lambda: counted(broker, "penstock_dlq_held_total", "shy") == 1, "a held record")
    assert dead_letters(broker.bootstrap, "dlq.shy") == []
    allow = [("errors.deadletterqueue.group.enable", Change.SET, "true")]
    client.alter_configs({Resource(ResourceType.TOPIC, "dlq.shy"): allow}).all()
    assert len(come(broker, "dlq.shy", 1)) == 1


def test_a_group_that_drops_gives_up_after_some_attempts(client: Client, broker: RunningBroker) -> None:
    make_queue(client, "drops", penstock__dlq__on__failure="drop")
    send(client, "drops", b"one", b"two")
    settle(broker.bootstrap, "drops", lambda _: REJECT, 2)
    eventually(lambda: counted(broker, "penstock_dlq_failed_total", "drops") == 2, "two dropped records")
    eventually(lambda: client.share_group_offsets("drops").all().popitem()[1].lag == 0, "nothing is left to be done")


def test_a_topic_deleted_and_made_again_gets_what_comes_then(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.again")
    make_queue(client, "again")
    send(client, "again", b"one")
    settle(broker.bootstrap, "again", lambda _: REJECT, 1)
    come(broker, "dlq.again", 1)
    client.delete_topics(["dlq.again"]).all()
    send(client, "again", b"two")
    settle(broker.bootstrap, "again", lambda _: REJECT, 1)
    make_dead_letter_topic(client, "dlq.again")
    assert [each.value() for each in come(broker, "dlq.again", 1)] == [b"two"]


def test_a_group_that_reads_its_dead_letters_gives_them_up_for_good(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.self")
    make_queue(client, "self")
    group_of(client, "self", errors__deadletterqueue__topic__name="dlq.self")
    send(client, "dlq.self", b"one")
    with share_consumer(broker.bootstrap, "self", "dlq.self") as consumer:
        taken(consumer, lambda _: REJECT)
    eventually(lambda: counted(broker, "penstock_dlq_failed_total", "self") == 1, "a record given up")
    assert len(dead_letters(broker.bootstrap, "dlq.self")) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("letters", "does not begin with 'dlq.'"),
        ("__consumer_offsets", "does not begin with"),
        ("dlq.a view", "cannot name a topic"),
        ("dlq.view", "is a view"),
        ("dlq.later", "is a schedule topic"),
        ("dlq.compacted", "is compacted"),
    ],
)
def test_a_group_cannot_name_a_topic_that_takes_no_dead_letters(client: Client, name: str, words: str) -> None:
    if "dlq.view" not in client.list_topics():
        make_topic(client, "dlq.plain")
        make_topic(client, "dlq.view", -1, penstock__view__of="dlq.plain")
        make_topic(client, "dlq.later", penstock__schedule__target="dlq.plain")
        make_topic(client, "dlq.compacted", cleanup__policy="compact")
    with pytest.raises(InvalidConfig, match=words):
        group_of(client, "picky", errors__deadletterqueue__topic__name=name)


def test_a_missing_topic_is_made_where_brokers_may(broker: RunningBroker) -> None:
    settings = {"node.id": "1", "errors.deadletterqueue.auto.create.topics.enable": "true"}
    with penstock_testing.broker(settings | share_settings()) as other, Client(other.bootstrap) as client:
        make_queue(client, "made")
        send(client, "made", b"one")
        settle(other.bootstrap, "made", lambda _: REJECT, 1)
        assert len(come(other, "dlq.made", 1)) == 1


def test_a_record_that_is_too_old_when_somebody_would_get_it_goes_there(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.old")
    make_queue(client, "old", penstock__share__ttl="header")
    send(client, "old", b"short", penstock_ttl_ms=b"0")
    send(client, "old", b"long", penstock_ttl_ms=b"600000")
    send(client, "old", b"odd", penstock_ttl_ms=b"soon")
    send(client, "old", b"ever")
    seen: list[bytes | None] = []
    with share_consumer(broker.bootstrap, "old", "old") as consumer:
        while len(seen) < 3:
            seen += [each.value() for each in taken(consumer)]
    assert seen == [b"long", b"odd", b"ever"]
    (letter,) = come(broker, "dlq.old", 1)
    assert letter.value() == b"short"
    assert headers_of(letter)["__dlq.errors.message"] == "Offset expired before it was acquired."
    assert headers_of(letter)["__dlq.errors.delivery.count"] == "0"
    assert counted(broker, "penstock_share_expired_total", "old") == 1
    assert counted(broker, "penstock_share_unreadable_ttl_total", "old") == 1


def test_below_share_version_2_what_is_given_up_goes_nowhere() -> None:
    with penstock_testing.broker({"node.id": "1"} | share_settings()) as other, Client(other.bootstrap) as client:
        assert client.describe_features().finalized["share.version"] == 2
        client.update_features({"share.version": 1}, upgrade_type=2)
        make_dead_letter_topic(client, "dlq.early")
        make_queue(client, "early")
        send(client, "early", b"one")
        settle(other.bootstrap, "early", lambda _: REJECT, 1)
        eventually(lambda: client.share_group_offsets("early").all().popitem()[1].lag == 0, "nothing is left")
        assert dead_letters(other.bootstrap, "dlq.early") == []


def test_reject_of_a_penstock_queue_worker_ends_in_the_dead_letter_topic(client: Client, broker: RunningBroker) -> None:
    make_dead_letter_topic(client, "dlq.jobs")
    make_queue(client, "jobs")
    send(client, "jobs", b"good", b"bad")
    done: list[bytes | None] = []

    def handle(job: SharedRecord) -> None:
        done.append(job.value)
        if job.value == b"bad":
            raise Reject

    worker = Worker(broker.bootstrap, group="jobs", topics=["jobs"], handler=handle, concurrency=1)

    def stop_in_the_end() -> None:
        try:
            come(broker, "dlq.jobs", 1)
        finally:
            worker.stop()

    watcher = Thread(target=stop_in_the_end)
    watcher.start()
    worker.run()
    watcher.join()
    (letter,) = dead_letters(broker.bootstrap, "dlq.jobs")
    assert letter.value() == b"bad"
    assert sorted(each or b"" for each in done) == [b"bad", b"good"]
