"""A group machine with a clock and a log in memory: commands in, replies by name, timers when their time has come."""

from typing import Any

from tests.support.machines import MachineWorld

from penstock.coordinators.decision import (
    Command,
    Decision,
    Loaded,
    TransactionEnded,
)
from penstock.coordinators.groups import commands
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.records import GroupCodec
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.coordinators.loading import changes_in
from penstock.errors import Refusal
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from penstock.wire.messages.offset_fetch_response import OffsetFetchResponseGroup
from penstock.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from penstock.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from penstock.wire.records import Record, build_batch

UNANSWERED = object()


def subscription(*topics: str) -> bytes:
    return b"\x00\x00" + ConsumerProtocolSubscription(list(topics)).encode(0)


class GroupWorld(MachineWorld):
    """The log is a list of what its batches are read as."""

    machine: GroupMachine

    def __init__(self, limits: GroupLimits | None = None, group_id: str = "g") -> None:
        super().__init__()
        self.limits = limits or GroupLimits()
        self.group_id = group_id
        self.codec = GroupCodec()
        self.log: list[list[Any]] = []
        self.machine = GroupMachine(self.limits)
        self._last_id = 0

    # Running ----------------------------------------------------------------------------------------------------

    def _append(self, decision: Decision) -> None:
        encoded = [self.codec.encode(record) for record in decision.records]
        records = [Record(place, self.now, key, value) for place, (key, value) in enumerate(encoded)]
        producer_id, epoch = decision.producer or (-1, -1)
        batch = build_batch(
            records, producer_id=producer_id, producer_epoch=epoch, transactional=decision.producer is not None
        )
        self._write(batch)

    def _write(self, batch: bytearray) -> None:
        self.log.append(list(changes_in(BatchHeader.peek(batch), bytes(batch), self.codec, "g")))

    def ask(self, kind: type[Command], **facts: Any) -> Any:
        """The reply, which must be there at once; a refusal comes back as one."""
        return self.replies[self.send(kind, **facts)]

    def reply(self, address: int) -> Any:
        return self.replies.get(address, UNANSWERED)

    def replayed(self) -> GroupMachine:
        machine = GroupMachine(self.limits)
        for changes in self.log:
            for change in changes:
                machine.apply(change)
        return machine

    def restart(self) -> None:
        self.machine = self.replayed()
        self.timers.clear()
        self.carry_out(Loaded())

    # Members ----------------------------------------------------------------------------------------------------

    @property
    def group(self) -> Group:
        return self.machine.tables.of_kind(Group)[self.group_id]

    @property
    def state(self) -> str:
        return self.group.state.value

    def join(
        self,
        member_id: str = "",
        *,
        instance: str | None = None,
        version: int = 9,
        session_ms: int = 10_000,
        rebalance_ms: int = 60_000,
        protocols: tuple[tuple[str, bytes], ...] = (("range", subscription("orders")),),
        protocol_type: str = "consumer",
    ) -> int:
        self._last_id += 1
        return self.send(
            commands.Join,
            request=JoinGroupRequest(
                group_id=self.group_id,
                session_timeout_ms=session_ms,
                rebalance_timeout_ms=rebalance_ms,
                member_id=member_id,
                group_instance_id=instance,
                protocol_type=protocol_type,
                protocols=[JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols],
            ),
            api_version=version,
            client_id="client",
            client_host="/10.0.0.1",
            new_member_id=f"m{self._last_id}",
        )

    def sync(self, member_id: str, generation: int, shares: dict[str, bytes] | None = None, **more: Any) -> int:
        request = SyncGroupRequest(
            group_id=self.group_id,
            generation_id=generation,
            member_id=member_id,
            assignments=[SyncGroupRequestAssignment(name, share) for name, share in (shares or {}).items()],
            **more,
        )
        return self.send(commands.Sync, request=request, api_version=5)

    def heartbeat(self, member_id: str, generation: int, instance: str | None = None) -> Any:
        request = HeartbeatRequest(self.group_id, generation, member_id, instance)
        return self.ask(commands.Heartbeat, request=request)

    def leave(self, *members: MemberIdentity) -> Any:
        return self.ask(commands.Leave, group_id=self.group_id, members=list(members))

    def commit(self, offset: int, *, topic: str = "orders", version: int = 10, **who: Any) -> Any:
        """The partition's error code, or the refusal of the whole."""
        part = OffsetCommitRequestPartition(0, offset, -1, who.pop("metadata", ""))
        request = OffsetCommitRequest(
            group_id=self.group_id, topics=[OffsetCommitRequestTopic(topic, partitions=[part])], **who
        )
        answer = self.ask(commands.CommitOffsets, request=request, api_version=version)
        return answer if isinstance(answer, Refusal) else answer.topics[0].partitions[0].error_code

    def fetch(
        self, topics: list[tuple[str, list[int]]] | None, *, topic_id: bytes | None = None, **more: Any
    ) -> OffsetFetchResponseGroup:
        found = self.ask(commands.FetchOffsets, group_id=self.group_id, topics=topics, **more)
        response = OffsetFetchResponseGroup(self.group_id)
        for _ in found.fill(response, lambda _topic: topic_id):
            pass
        return response

    def committed(self, topic: str = "orders") -> int:
        answer = self.fetch([(topic, [0])])
        offset: int = answer.topics[0].partitions[0].committed_offset
        return offset

    def stable_code(self, topic: str = "orders") -> int:
        """The error code for who wants to know only what no open transaction may change."""
        answer = self.fetch([(topic, [0])], require_stable=True)
        code: int = answer.topics[0].partitions[0].error_code
        return code

    # Transactions -----------------------------------------------------------------------------------------------

    def commit_within(self, producer_id: int, offset: int, **more: Any) -> Any:
        """The partition's error code, or the refusal of the whole."""
        answer = self.replies[self.send_within(producer_id, offset, **more)]
        return answer if isinstance(answer, Refusal) else answer.topics[0].partitions[0].error_code

    def send_within(self, producer_id: int, offset: int, *, topic: str = "orders", **who: Any) -> int:
        part = TxnOffsetCommitRequestPartition(0, offset, -1, who.pop("metadata", ""))
        request = TxnOffsetCommitRequest(
            transactional_id=f"t{producer_id}",
            group_id=self.group_id,
            producer_id=producer_id,
            topics=[TxnOffsetCommitRequestTopic(topic, [part])],
            **who,
        )
        return self.send(commands.CommitInTransaction, request=request)

    def end_transaction(self, producer_id: int, *, commits: bool) -> None:
        marker = Marker(MarkerType.COMMIT if commits else MarkerType.ABORT, 0)
        self._write(build_marker(marker, producer_id=producer_id, producer_epoch=0, timestamp=self.now))
        self.machine.apply(TransactionEnded(producer_id, commits))

    def stable(self, count: int, **more: Any) -> list[str]:
        """A stable group of so many dynamic members; their ids, the leader first."""
        asked = [self.join(version=3, **more) for _ in range(count)]
        self.pass_time(self.limits.initial_rebalance_delay_ms * (count + 1))
        members = [self.reply(address).member_id for address in asked]
        generation = self.group.generation
        for member in members[1:]:
            self.sync(member, generation)
        self.sync(members[0], generation, {member: member.encode() for member in members})
        return members
