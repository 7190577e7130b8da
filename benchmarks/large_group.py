"""Members of one large group, a connection each, for either group protocol: they join, and rebalance when one leaves.

Their pace is no figure of any benchmark: what a rebalance costs is measured in the broker.
"""

import asyncio
import struct
from collections.abc import Sequence
from typing import Any

from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    MemberIdRequired,
    NotCoordinator,
    RebalanceInProgress,
)
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.heartbeat_response import HeartbeatResponse
from penstock.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from penstock.wire.messages.join_group_response import JoinGroupResponse
from penstock.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse
from penstock.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from penstock.wire.messages.sync_group_response import SyncGroupResponse

GROUP = "large"
SESSION_MS = 60_000
NOT_YET = (CoordinatorLoadInProgress.code, CoordinatorNotAvailable.code, NotCoordinator.code)
METADATA = b"\x00\x03" + bytes(70)
"""As long as the subscription of a usual consumer: its topic, what it owns, its rack."""
ASSIGNMENT = bytes(40)
LEAVES = -1


class Connection:
    """One request after the other, all of flexible versions."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> "Connection":
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 22))

    async def exchange(self, request: Any, response: Any, version: int) -> Any:
        body = struct.pack(">hhih", request.api_key, version, 1, -1) + b"\x00" + request.encode(version)
        self._writer.write(struct.pack(">i", len(body)) + body)
        (size,) = struct.unpack(">i", await self._reader.readexactly(4))
        return response.decode((await self._reader.readexactly(size))[5:], version)

    async def ask(self, request: Any, response: Any, version: int) -> Any:
        """The answer, once the coordinator is ready to give one."""
        while True:
            answer = await self.exchange(request, response, version)
            if answer.error_code not in NOT_YET:
                return answer
            await asyncio.sleep(0.01)

    def close(self) -> None:
        self._writer.close()


class ClassicMember:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._id = ""
        self._generation = -1

    async def join(self) -> None:
        """Join, or join again, and be told what to read; the leader has shared it out."""
        while True:
            joined = await self._join()
            leads = joined.leader == self._id
            shares = [SyncGroupRequestAssignment(each.member_id, ASSIGNMENT) for each in joined.members if leads]
            request = SyncGroupRequest(GROUP, self._generation, self._id, None, "consumer", "range", shares)
            synced = await self._connection.ask(request, SyncGroupResponse, 5)
            if synced.error_code != RebalanceInProgress.code:
                assert synced.error_code == 0, synced
                return

    async def _join(self) -> JoinGroupResponse:
        protocols = [JoinGroupRequestProtocol("range", METADATA)]
        while True:
            request = JoinGroupRequest(GROUP, SESSION_MS, SESSION_MS, self._id, None, "consumer", protocols)
            joined: JoinGroupResponse = await self._connection.ask(request, JoinGroupResponse, 9)
            self._id, self._generation = joined.member_id, joined.generation_id
            if joined.error_code != MemberIdRequired.code:
                assert joined.error_code == 0, joined
                return joined

    async def follow(self) -> None:
        """Heartbeats, until one tells that another has come or gone; then this one joins again."""
        while True:
            request = HeartbeatRequest(GROUP, self._generation, self._id)
            answer = await self._connection.ask(request, HeartbeatResponse, 4)
            if answer.error_code == RebalanceInProgress.code:
                return await self.join()
            assert answer.error_code == 0, answer
            await asyncio.sleep(0.1)

    async def leave(self) -> None:
        await self._connection.ask(LeaveGroupRequest(GROUP, members=[MemberIdentity(self._id)]), LeaveGroupResponse, 5)
        self._id, self._generation = "", -1


class NewMember:
    """Of the consumer protocol (KIP-848): one heartbeat after the other does it all."""

    def __init__(self, connection: Connection, member_id: str, topic: str) -> None:
        self._connection = connection
        self._id = member_id
        self._topic = topic
        self._epoch = 0
        self._owned: list[TopicPartitions] = []
        self._tells = True

    @property
    def owns(self) -> int:
        return sum(len(topic.partitions) for topic in self._owned)

    async def beat(self) -> None:
        request = ConsumerGroupHeartbeatRequest(GROUP, self._id, self._epoch)
        if self._epoch == 0:
            request.rebalance_timeout_ms, request.subscribed_topic_names = SESSION_MS, [self._topic]
        if self._tells:
            request.topic_partitions = self._owned
        answer = await self._connection.ask(request, ConsumerGroupHeartbeatResponse, 1)
        assert answer.error_code == 0, answer
        self._epoch, self._tells = answer.member_epoch, answer.assignment is not None
        if answer.assignment is not None:
            self._owned = [
                TopicPartitions(each.topic_id, each.partitions) for each in answer.assignment.topic_partitions
            ]

    async def leave(self) -> None:
        request = ConsumerGroupHeartbeatRequest(GROUP, self._id, LEAVES)
        await self._connection.ask(request, ConsumerGroupHeartbeatResponse, 1)
        self._epoch, self._owned, self._tells = 0, [], True


async def rebalance_classic(members: Sequence[ClassicMember]) -> None:
    """One leaves, everybody joins again without it; it comes back, and everybody joins again."""
    leaver, *others = members
    await leaver.leave()
    await asyncio.gather(*(member.follow() for member in others))
    await asyncio.gather(leaver.join(), *(member.follow() for member in others))


async def rebalance_new(members: Sequence[NewMember], partitions: int) -> None:
    leaver, *others = members
    await leaver.leave()
    await settle(others, partitions)
    await settle(members, partitions)


async def settle(members: Sequence[NewMember], partitions: int) -> None:
    """Heartbeats, all at once and a tenth of a second apart, until every partition is read by somebody."""
    while True:
        await asyncio.gather(*(member.beat() for member in members))
        if sum(member.owns for member in members) == partitions and all(member.owns for member in members):
            return
        await asyncio.sleep(0.1)
