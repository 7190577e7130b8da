"""Back-off, wide windows, order by key and priorities of share groups: real clients at a broker as it is installed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Iterator

import pytest
from confluent_kafka import ShareConsumer
from tests.support.faults import eventually
from tests.support.share_consumers import ACCEPT, PATIENCE_S, RELEASE, at, committed, lent, share_consumer, taken
from tests.support.shares import earliest, share_settings

from penstock.client import Change, Client, NewTopic, Resource, ResourceType
from penstock.errors import InvalidConfig
from penstock.queue import SharedRecord, Worker
from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory


@pytest.fixture
def broker(penstock_broker_factory: BrokerFactory) -> RunningBroker:
    return penstock_broker_factory(share_settings(), mode="process")


@pytest.fixture
def client(broker: RunningBroker) -> Iterator[Client]:
    with Client(broker.bootstrap, timeout_s=PATIENCE_S) as client:
        yield client


def begin(client: Client, name: str, partitions: int = 1, **rules: str) -> None:
    """A topic, and a group of its name with these settings."""
    client.create_topics([NewTopic(name, partitions)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")
    earliest(client, name)
    alter(client, name, {f"penstock.share.{key.replace('_', '.')}": value for key, value in rules.items()})


def alter(client: Client, group: str, values: dict[str, str]) -> None:
    changes = [(name, Change.SET, value) for name, value in values.items()]
    if changes:
        client.alter_configs({Resource(ResourceType.GROUP, group): changes}).all()


def write(client: Client, topic: str, *records: tuple[str | None, str], batch_bytes: int = 400) -> None:
    with client.producer(batch_bytes=batch_bytes) as producer:
        for key, value in records:
            producer.send(topic, value.encode(), key=None if key is None else key.encode(), partition=0)


def test_a_job_that_failed_is_done_later_and_the_others_meanwhile(client: Client, broker: RunningBroker) -> None:
    """A record would be tried again before the ones behind it, if it did not wait."""
    begin(client, "jobs", retry_backoff_ms="1000", retry_backoff_jitter="0")
    write(client, "jobs", *[(None, f"job {number}") for number in range(40)])
    tries: dict[int, list[float]] = defaultdict(list)

    def work(job: SharedRecord) -> None:
        tries[job.offset].append(time.monotonic())
        if sum(map(len, tries.values())) == 43:
            worker.stop()
        if job.offset == 5 and len(tries[5]) < 4:
            raise TimeoutError("the mail server does not answer")

    worker = Worker(broker.bootstrap, group="jobs", topics=["jobs"], handler=work, concurrency=1)
    thread = threading.Thread(target=lambda: asyncio.run(worker.serve()))
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive() and len(tries) == 40
    waits = [later - sooner for sooner, later in zip(tries[5], tries[5][1:], strict=False)]
    assert len(waits) == 3
    assert all(wait >= least for wait, least in zip(waits, (1.0, 2.0, 4.0), strict=True)), waits


def test_a_record_that_waits_stops_no_partition(client: Client, broker: RunningBroker) -> None:
    """600 records come while one waits for minutes, although members may have 100 at a time."""
    begin(client, "long", retry_backoff_ms="300000")
    alter(client, "long", {"share.partition.max.record.locks": "100"})
    write(client, "long", *[(None, str(number)) for number in range(600)])
    seen: set[int] = set()
    with share_consumer(broker.bootstrap, "long", "long") as consumer:
        while len(seen) < 600:
            for message in taken(consumer, lambda each: RELEASE if each.offset() == 0 else ACCEPT):
                assert at(message)[2] == 1
                seen.add(at(message)[1])


def test_what_a_consumer_leaves_behind_does_not_wait(client: Client, broker: RunningBroker) -> None:
    begin(client, "left", retry_backoff_ms="300000")
    write(client, "left", *[(None, str(number)) for number in range(4)])
    with share_consumer(broker.bootstrap, "left", "left") as consumer:
        assert len(lent(consumer)) == 4
    with share_consumer(broker.bootstrap, "left", "left") as consumer:
        assert [at(each) for each in taken(consumer)] == [(0, offset, 2) for offset in range(4)]


def test_records_of_a_key_are_done_one_after_the_other(client: Client, broker: RunningBroker) -> None:
    """Three consumers, ten keys, and every seventh record fails the first time."""
    begin(client, "ordered", order="key", retry_backoff_ms="10")
    keys, count = 10, 300
    write(client, "ordered", *[(f"k{number % keys}", str(number)) for number in range(count)])
    done: dict[bytes, list[int]] = defaultdict(list)
    open_now: dict[bytes, int] = {}
    lock = threading.Lock()

    def work(consumer: ShareConsumer) -> None:
        while sum(map(len, done.values())) < count:
            messages = list(consumer.poll(0.2))
            for message in messages:
                _, offset, tries = at(message)
                key = message.key()
                assert isinstance(key, bytes)
                with lock:
                    assert key not in open_now, f"{offset} while {open_now[key]} is open, which has its key"
                    assert offset // keys == len(done[key]), f"{offset} after {done[key]}"
                    open_now[key] = offset
                fails = offset % 7 == 0 and tries == 1
                with lock:
                    del open_now[key]
                    if not fails:
                        done[key].append(offset)
                consumer.acknowledge(message, RELEASE if fails else ACCEPT)
            if messages:
                committed(consumer)

    failures: list[BaseException] = []

    def run() -> None:
        try:
            with share_consumer(broker.bootstrap, "ordered", "ordered") as consumer:
                work(consumer)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not failures, failures
    assert sorted(offset for offsets in done.values() for offset in offsets) == list(range(count))


def test_topics_of_a_higher_priority_come_first(client: Client, broker: RunningBroker) -> None:
    begin(client, "low")
    begin(client, "high", priority="low:1,high:9,nothing.of.that.name:100")
    for topic in ("low", "high"):
        write(client, topic, *[(None, str(number)) for number in range(300)])
    seen: list[str] = []
    with share_consumer(broker.bootstrap, "high", "high", "low", max_poll_records="20") as consumer:
        while len(seen) < 600:
            seen += [message.topic() or "" for message in taken(consumer)]
    first, last = seen.index("high"), len(seen) - seen[::-1].index("high")
    assert set(seen[first:last]) == {"high"}, "as soon as it knew of both, a broker gave of the higher first"


SENSELESS = (
    ("retry.backoff.ms", "soon"),
    ("retry.backoff.ms", "-1"),
    ("retry.backoff.ms", "99999999999"),
    ("retry.backoff.multiplier", "0.5"),
    ("retry.backoff.multiplier", "many"),
    ("retry.backoff.max.ms", "0"),
    ("retry.backoff.jitter", "1.1"),
    ("window.max", "10"),
    ("window.max", "100000000"),
    ("order", "value"),
    ("priority", "orders"),
    ("priority", "orders:"),
    ("priority", "orders:high"),
    ("priority", "orders:-1"),
    ("priority", "orders:1,orders:2"),
    ("priority", "or/ders:1"),
    ("priority", ".:1"),
    ("priority", ",".join(f"t{number}:1" for number in range(1_001))),
    ("retries", "5"),
)


def test_settings_that_make_no_sense_are_refused(client: Client) -> None:
    for name, value in SENSELESS:
        with pytest.raises(InvalidConfig, match=f"penstock.share.{name}"):
            alter(client, "group", {f"penstock.share.{name}": value})
