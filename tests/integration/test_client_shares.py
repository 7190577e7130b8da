"""Share groups by Penstock's own client: administered, and read from."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer as OtherProducer
from tests.support.faults import eventually
from tests.support.shares import earliest

from penstock.client import Ack, AsyncClient, Client, NewTopic, ShareConsumer, SharedRecord, place
from penstock.errors import GroupIdNotFound, InvalidRecordState, NonEmptyGroup, Refusal

PATIENCE_S = 60.0


@pytest.fixture
def client(share_cluster: str) -> Iterator[Client]:
    with Client(share_cluster, timeout_s=PATIENCE_S) as client:
        yield client


def make(client: Client, name: str, partitions: int = 1, **settings: str) -> None:
    client.create_topics([NewTopic(name, partitions, settings=settings)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")
    earliest(client, name)


def fill(client: Client, topic: str, count: int, partitions: int = 1) -> None:
    with client.producer() as producer:
        for number in range(count):
            producer.send(topic, b"%d" % number, partition=number % partitions)


def lent(consumer: ShareConsumer, count: int) -> list[SharedRecord]:
    """At least so many records, and what came with the last of them."""
    found: list[SharedRecord] = []
    while len(found) < count:
        some = consumer.poll(PATIENCE_S)
        assert some, f"{len(found)} of {count} came"
        found += some
    return found


def read_by(client: Client, topic: str, **settings: object) -> ShareConsumer:
    """A consumer of the group that has the topic's name."""
    return client.share_consumer(group=topic, topics=(topic,), **settings)


def test_what_is_handed_out_is_accepted_by_itself(client: Client) -> None:
    make(client, "by-itself", 2)
    fill(client, "by-itself", 100, 2)
    with read_by(client, "by-itself") as consumer:
        records = lent(consumer, 100)
        assert {each.delivery_count for each in records} == {1}
        assert sorted(int(each.value or b"") for each in records) == list(range(100))
        assert consumer.assignment() == {place("by-itself", 0), place("by-itself", 1)}
        consumer.commit().all()
        assert consumer.poll(0.1) == []
    offsets = client.share_group_offsets("by-itself").all()
    # Kafka tells where the state was written down last, and how many of the records from there on are done.
    assert {where.partition: each.lag for where, each in offsets.items()} == {0: 0, 1: 0}


def test_released_comes_again_rejected_and_accepted_do_not(client: Client) -> None:
    make(client, "three-ways")
    fill(client, "three-ways", 3)
    with read_by(client, "three-ways", auto_accept=False) as consumer:
        first, second, third = lent(consumer, 3)
        consumer.acknowledge(first)
        consumer.acknowledge(second, Ack.RELEASE)
        consumer.acknowledge(third, Ack.REJECT)
        consumer.commit().all()
        (again,) = lent(consumer, 1)
        assert (again.offset, again.delivery_count) == (1, 2)
        with pytest.raises(InvalidRecordState):
            consumer.acknowledge(first)
        consumer.acknowledge(again)
        consumer.commit().all()
        assert consumer.poll(0.1) == []


def test_a_record_is_given_up_after_as_many_attempts_as_the_group_has(client: Client) -> None:
    make(client, "given-up")
    fill(client, "given-up", 2)
    counts: list[tuple[int, int]] = []
    with read_by(client, "given-up", auto_accept=False) as consumer:
        while len(counts) < 10:
            for record in lent(consumer, 1):
                counts.append((record.offset, record.delivery_count))
                consumer.acknowledge(record, Ack.RELEASE)
            consumer.commit().all()
        assert consumer.poll(0.5) == []
    assert sorted(counts) == [(offset, count) for offset in (0, 1) for count in range(1, 6)]


def test_what_is_in_hand_at_the_end_goes_to_another_at_once(client: Client, share_cluster: str) -> None:
    make(client, "handed-on")
    fill(client, "handed-on", 2)
    with Client(share_cluster, timeout_s=PATIENCE_S) as other, read_by(client, "handed-on", auto_accept=False) as heir:
        with read_by(other, "handed-on", auto_accept=False) as consumer:
            kept, _ = lent(consumer, 2)
            consumer.acknowledge(kept)
        ((record),) = lent(heir, 1)
        assert (record.offset, record.delivery_count) == (1, 2)
        heir.acknowledge(record)


def test_a_block_that_fails_accepts_nothing(client: Client) -> None:
    make(client, "failing")
    fill(client, "failing", 1)
    with pytest.raises(ZeroDivisionError), read_by(client, "failing") as consumer:
        lent(consumer, 1)
        raise ZeroDivisionError
    with read_by(client, "failing") as consumer:
        assert [each.delivery_count for each in lent(consumer, 1)] == [2]


def test_a_renewed_record_stays_while_its_neighbour_expires(client: Client, share_cluster: str) -> None:
    make(client, "renewed")
    fill(client, "renewed", 2)
    with Client(share_cluster, timeout_s=PATIENCE_S) as other:
        slow = read_by(client, "renewed", auto_accept=False)
        long, forgotten = lent(slow, 2)
        thief = read_by(other, "renewed", auto_accept=False)
        stolen: list[SharedRecord] = []
        while not stolen:
            slow.acknowledge(long, Ack.RENEW)
            slow.commit().all()
            stolen = thief.poll(slow.lock_s / 4)
        assert [(each.offset, each.delivery_count) for each in stolen] == [(forgotten.offset, 2)]
        slow.acknowledge(long)
        slow.commit().all()
        slow.acknowledge(forgotten)
        assert isinstance(slow.commit()[place("renewed", 0)], InvalidRecordState)
        thief.acknowledge(stolen[0])
        thief.close()
        slow.close()


def test_gaps_of_transactions_and_of_compaction_stop_nobody(client: Client, share_cluster: str) -> None:
    make(client, "gaps")
    producer = OtherProducer({"bootstrap.servers": share_cluster, "transactional.id": "gaps"})
    producer.init_transactions(PATIENCE_S)
    for value, commits in ((b"no", False), (b"yes", True), (b"never", False), (b"indeed", True)):
        producer.begin_transaction()
        producer.produce("gaps", value)
        producer.flush(PATIENCE_S)
        (producer.commit_transaction if commits else producer.abort_transaction)(PATIENCE_S)
    earliest(client, "committed-only", isolation="read_committed")
    for group, expected in (("committed-only", [b"yes", b"indeed"]), ("gaps", [b"no", b"yes", b"never", b"indeed"])):
        with client.share_consumer(group=group, topics=("gaps",)) as consumer:
            assert [each.value for each in lent(consumer, len(expected))] == expected
            consumer.commit().all()
            # The last marker is said to be a gap, and nothing is left.
            assert consumer.poll(0.5) == []
        assert client.share_group_offsets(group).all()[place("gaps", 0)].lag == 0


def test_members_share_one_partition_and_no_record_goes_to_two(client: Client, share_cluster: str) -> None:
    make(client, "one-partition")

    async def work(number: int, seen: list[int], done: asyncio.Event) -> int:
        mine = 0
        async with (
            AsyncClient(share_cluster, timeout_s=PATIENCE_S) as own,
            own.share_consumer(group="one-partition", topics=("one-partition",), fetch_records=10) as consumer,
        ):
            while not done.is_set():
                records = await consumer.poll(0.2)
                seen += [int(each.value or b"") for each in records]
                mine += len(records)
                (await consumer.commit()).all()
                if len(seen) >= 300:
                    done.set()
        return mine

    async def play() -> tuple[list[int], list[int]]:
        seen: list[int] = []
        done = asyncio.Event()
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
            workers = [tasks.create_task(work(number, seen, done)) for number in range(2)]
            async with (
                AsyncClient(share_cluster, timeout_s=PATIENCE_S) as own,
                own.producer(batch_bytes=200) as producer,
            ):
                members = 0
                while members < 2:
                    described = (await own.describe_share_groups(["one-partition"])).done
                    members = sum(len(each.members) for each in described.values())
                for number in range(300):
                    await producer.send("one-partition", b"%d" % number)
        return seen, [each.result() for each in workers]

    seen, shares = asyncio.run(play())
    assert sorted(seen) == list(range(300))
    assert sum(shares) == 300


def test_groups_are_listed_described_moved_and_deleted(client: Client) -> None:
    make(client, "admin", 2)
    fill(client, "admin", 10, 2)
    with read_by(client, "admin") as consumer:
        lent(consumer, 10)
        consumer.commit().all()
        described = client.describe_share_groups(["admin"]).all()["admin"]
        assert (described.group_state, described.assignor_name) == ("Stable", "simple")
        (member,) = described.members
        assert (member.member_id, member.subscribed_topic_names) == (consumer.member_id, ["admin"])
        assert [(each.topic_name, each.partitions) for each in member.assignment.topic_partitions] == [
            ("admin", [0, 1])
        ]
        with pytest.raises(NonEmptyGroup):
            client.alter_share_group_offsets("admin", {place("admin", 0): 1})
        with pytest.raises(NonEmptyGroup):
            client.delete_share_group_offsets("admin", ["admin"])
        assert isinstance(client.delete_groups(["admin"])["admin"], NonEmptyGroup)
    for types, is_listed in ((["share"], True), (["consumer"], False), ([], True)):
        listed = {each.group_id: each for some in client.list_groups(types=types).all().values() for each in some}
        assert ("admin" in listed) == is_listed
        if is_listed:
            told = listed["admin"]
            assert (told.group_type, told.protocol_type, told.group_state) == ("share", "share", "Empty")
    client.alter_share_group_offsets("admin", {place("admin", 0): 2}).all()
    offsets = client.share_group_offsets("admin").all()
    assert {where.partition: each.lag for where, each in offsets.items()} == {0: 3, 1: 0}
    with read_by(client, "admin") as consumer:
        assert [each.offset for each in lent(consumer, 3)] == [2, 3, 4]
    assert client.delete_share_group_offsets("admin", ["admin"]) == {"admin": None}
    assert client.share_group_offsets("admin") == {}
    assert client.delete_groups(["admin", "never-was"]).refused.keys() == {"never-was"}
    assert isinstance(client.describe_share_groups(["admin"])["admin"], GroupIdNotFound)


def test_a_topic_that_is_deleted_ends_nobody(client: Client) -> None:
    make(client, "stays")
    make(client, "goes")
    fill(client, "goes", 1)
    with client.share_consumer(group="stays", topics=("goes", "stays"), auto_accept=False) as consumer:
        (gone,) = lent(consumer, 1)
        client.delete_topics(["goes"]).all()
        consumer.acknowledge(gone)
        outcome = consumer.commit().get(place("goes", 0))
        assert outcome is None or isinstance(outcome, Refusal)
        fill(client, "stays", 1)
        assert [each.topic for each in lent(consumer, 1)] == ["stays"]
