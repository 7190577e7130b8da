"""Share fetches on several brokers, by what goes over the wire: through the loss of the leader and of whoever keeps the
state, what was accepted does not come again, and all else does.
"""

import asyncio
import struct
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import Rec, batch
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import request_frame

from penstock.cluster import SHARE_GROUP_STATE, ReplaceSettings, Resource, ResourceType
from penstock.coordinators.shares.service import partition_of
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.model import TopicId
from penstock.replication import Partition
from penstock.wire.messages.share_acknowledge_request import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from penstock.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from penstock.wire.messages.share_fetch_request import FetchPartition, FetchTopic, ShareFetchRequest
from penstock.wire.messages.share_fetch_response import ShareFetchResponse

TOPIC, GROUP = "orders", "workers"
VERSION = 2
RESPONSE_HEADER = 5
QUICK = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "share.coordinator.state.topic.num.partitions": "3",
}


class Member:
    """A member of a share group at one broker, which counts its session's requests."""

    def __init__(
        self, name: str, topic_id: TopicId, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self._reader = reader
        self._writer = writer
        self._epoch = 0

    @classmethod
    async def at(cls, nodes: Nodes, broker: int, name: str, topic_id: TopicId) -> "Member":
        endpoint = nodes[broker].endpoints["PLAINTEXT"]
        return cls(name, topic_id, *await asyncio.open_connection(endpoint.host, endpoint.port))

    async def ask(self, api: str, request: Any, response: Any) -> Any:
        frame = request_frame(api, VERSION, request.encode(VERSION))
        self._writer.write(struct.pack(">i", len(frame)) + frame)
        (size,) = struct.unpack(">i", await self._reader.readexactly(4))
        answer = response.decode((await self._reader.readexactly(size))[RESPONSE_HEADER:], VERSION)
        self._epoch += 1
        assert answer.error_code == 0
        return answer

    async def fetch(self, *, most: int = 500, wait_ms: int = 5_000) -> list[tuple[int, int, int]]:
        """What it is given: first and last offset, and the how manieth delivery; nothing where it is refused."""
        request = ShareFetchRequest(
            group_id=GROUP,
            member_id=self.name,
            share_session_epoch=self._epoch,
            max_wait_ms=wait_ms,
            min_bytes=1,
            max_bytes=1 << 20,
            max_records=most,
            batch_size=1,
            topics=[FetchTopic(self.topic_id, [FetchPartition(0)])] if self._epoch == 0 else [],
        )
        answer = await self.ask("ShareFetch", request, ShareFetchResponse)
        return [
            (row.first_offset, row.last_offset, row.delivery_count)
            for topic in answer.responses
            for part in topic.partitions
            for row in part.acquired_records
        ]

    async def say(self, *rows: tuple[int, int, int]) -> int:
        said = [AcknowledgementBatch(first, last, [kind]) for first, last, kind in rows]
        request = ShareAcknowledgeRequest(
            group_id=GROUP,
            member_id=self.name,
            share_session_epoch=self._epoch,
            topics=[AcknowledgeTopic(self.topic_id, [AcknowledgePartition(0, said)])],
        )
        answer = await self.ask("ShareAcknowledge", request, ShareAcknowledgeResponse)
        code: int = answer.responses[0].partitions[0].error_code
        return code

    async def until_it_gets(self, expected: set[int]) -> dict[int, int]:
        """Deliveries by offset, of all that it gets until it has these."""
        got: dict[int, int] = {}
        async with asyncio.timeout(60):
            while not expected <= got.keys():
                for first, last, count in await self.fetch():
                    got.update(dict.fromkeys(range(first, last + 1), count))
        return got

    def hang_up(self) -> None:
        self._writer.close()


class Story:
    def __init__(self, nodes: Nodes, topic_id: TopicId) -> None:
        self.nodes = nodes
        self.topic_id = topic_id
        self.members: list[Member] = []

    @property
    def key(self) -> SharePartitionKey:
        return SharePartitionKey(GROUP, self.topic_id, 0)

    @property
    def leader(self) -> int:
        return self.nodes.state(TOPIC).leader

    @property
    def keeper(self) -> int:
        topic = self.nodes.image().topics[SHARE_GROUP_STATE]
        return topic.partitions[partition_of(str(self.key), len(topic.partitions))].leader

    def partition(self) -> Partition:
        return self.nodes.leader(TOPIC)

    async def member(self, name: str) -> Member:
        member = await Member.at(self.nodes, self.leader, name, self.topic_id)
        self.members.append(member)
        return member

    async def produce(self, count: int, *, key: bytes | None = None) -> None:
        partition = self.partition()
        for _ in range(count):
            appended = partition.append(memoryview(bytearray(batch([Rec(key=key)]))), acks=-1)
            promise = partition.acknowledged(appended, acks=-1)
            if promise is not None:
                await promise

    async def begin(self, **settings: str) -> None:
        """As the group's coordinator does when its members are given the partition."""
        if settings:
            resource = Resource(ResourceType.GROUP, GROUP)
            change = ReplaceSettings(resource, tuple(settings.items()))
            assert await self.nodes.cluster().controller.alter_settings([change]) == [None]
            await self.nodes.until(lambda: all(resource in self.nodes.image(at).settings for at in self.nodes.running))
        states = self.nodes.services(self.leader).share_states
        await states.initialize(self.key, state_epoch=1, start_offset=-1)


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Story]:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        created = await nodes.create_topic(TOPIC, replicas=(1, 2, 3))
        story = Story(nodes, created.topic_id)
        yield story
        for member in story.members:
            member.hang_up()


ACCEPT, RELEASE = 1, 2
EARLIEST = {"share.auto.offset.reset": "earliest"}


async def test_what_was_accepted_does_not_come_again_from_the_next_leader(story: Story) -> None:
    await story.begin(**EARLIEST)
    await story.produce(20)
    first = await story.member("m1")
    got = await first.until_it_gets(set(range(20)))
    assert set(got.values()) == {1}
    assert await first.say((0, 4, ACCEPT), (10, 12, RELEASE)) == 0
    former = story.leader
    await story.nodes.kill(former)
    await story.nodes.until(lambda: story.leader not in (former, -1))
    second = await story.member("m2")
    again = await second.until_it_gets(set(range(5, 20)))
    assert set(again) == set(range(5, 20))
    assert {offset: count for offset, count in again.items() if count > 1} == {10: 2, 11: 2, 12: 2}


async def test_a_group_that_begins_at_the_end_misses_nothing_when_its_first_leader_dies(story: Story) -> None:
    """Between the first record that it was given and the first that it answered."""
    await story.begin()
    await story.produce(5)
    first = await story.member("m1")
    assert await first.fetch(wait_ms=1) == []
    share = story.nodes.services(story.leader).share_delivery.share_partitions.find(story.key)
    assert share is not None
    await story.nodes.until(lambda: share.machine is not None)
    await story.produce(3)
    assert set(await first.until_it_gets({5, 6, 7})) == {5, 6, 7}
    former = story.leader
    await story.nodes.kill(former)
    await story.nodes.until(lambda: story.leader not in (former, -1))
    second = await story.member("m2")
    assert set(await second.until_it_gets({5, 6, 7})) == {5, 6, 7}


async def test_what_was_accepted_stays_so_when_whoever_keeps_it_dies(story: Story) -> None:
    await story.begin(**EARLIEST)
    await story.produce(6)
    await story.nodes.until(lambda: story.keeper >= 0)
    member = await story.member("m1")
    await member.until_it_gets(set(range(6)))
    assert await member.say((0, 1, ACCEPT)) == 0
    keeper = story.keeper
    if keeper == story.leader:
        pytest.skip("they are one here: the tests before have it")
    await story.nodes.kill(keeper)
    await story.nodes.until(lambda: story.keeper not in (keeper, -1))
    async with asyncio.timeout(60):
        while await member.say((2, 3, ACCEPT)) != 0:
            await asyncio.sleep(0.05)
    summary = await story.nodes.services(story.leader).share_states.summary(story.key, leader_epoch=0)
    assert summary.start_offset >= 2
    member.hang_up()
    other = await story.member("m2")
    assert set(await other.until_it_gets({4, 5})) == {4, 5}


async def test_whoever_hangs_up_leaves_its_records_to_others(story: Story) -> None:
    await story.begin(**EARLIEST)
    await story.produce(4)
    first, second = await story.member("m1"), await story.member("m2")
    assert len(await first.until_it_gets(set(range(4)))) == 4
    first.hang_up()
    assert await second.until_it_gets(set(range(4))) == dict.fromkeys(range(4), 2)


async def test_what_waits_goes_on_waiting_when_its_leader_dies(story: Story) -> None:
    """And what was with a member comes at once: it may not have seen it."""
    await story.begin(**EARLIEST, **{"penstock.share.retry.backoff.ms": "3000"})
    await story.produce(4)
    first = await story.member("m1")
    await first.until_it_gets(set(range(4)))
    assert await first.say((1, 1, RELEASE)) == 0
    released = time.monotonic()
    former = story.leader
    await story.nodes.kill(former)
    await story.nodes.until(lambda: story.leader not in (former, -1))
    second = await story.member("m2")
    came: dict[int, tuple[int, float]] = {}
    async with asyncio.timeout(60):
        while len(came) < 4:
            for first_offset, last_offset, count in await second.fetch():
                came |= {each: (count, time.monotonic()) for each in range(first_offset, last_offset + 1)}
    assert {offset: count for offset, (count, _) in came.items()} == {0: 1, 1: 2, 2: 1, 3: 1}
    assert came[1][1] - released >= 3.0 * 0.8 - 0.1, "no earlier, at another leader either"


async def test_the_order_of_a_key_outlives_its_leader(story: Story) -> None:
    await story.begin(**EARLIEST, **{"penstock.share.order": "key"})
    await story.produce(4, key=b"k")
    await story.produce(2)
    first = await story.member("m1")
    assert set(await first.until_it_gets({0, 4, 5})) == {0, 4, 5}
    assert await first.say((0, 0, ACCEPT), (4, 4, ACCEPT)) == 0
    assert set(await first.until_it_gets({1})) == {1}
    former = story.leader
    await story.nodes.kill(former)
    await story.nodes.until(lambda: story.leader not in (former, -1))
    second = await story.member("m2")
    assert set(await second.until_it_gets({1, 5})) == {1, 5}
    for offset in (1, 2, 3):
        assert await second.say((offset, offset, ACCEPT)) == 0
        if offset < 3:
            assert set(await second.until_it_gets({offset + 1})) == {offset + 1}
