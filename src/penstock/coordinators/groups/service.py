"""Groups as handlers use them: which partition coordinates a group, whether that is here, and what it says.

A group is coordinated by the broker that leads its partition of `__consumer_offsets`; the topic is created when a
client first looks for a coordinator.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

from penstock.cluster import (
    CONSUMER_OFFSETS,
    GROUP_VERSION,
    ClusterImage,
    Controller,
    CreateTopic,
    ImageChange,
    Subscriber,
    TopicDeleted,
    ViewDeleted,
)
from penstock.coordinators.decision import Address, Command, EndTransaction
from penstock.coordinators.groups import commands, metrics
from penstock.coordinators.groups.admission import AdmissionGate, admitted
from penstock.coordinators.groups.assigned.cluster_view import ClusterView
from penstock.coordinators.groups.consumer import commands as consumer_commands
from penstock.coordinators.groups.consumer.limits import consumer_limits_of
from penstock.coordinators.groups.consumer.request_checks import check_heartbeat
from penstock.coordinators.groups.deleted_topics import of_deleted_topics
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.offset_fetch import FoundOffsets
from penstock.coordinators.groups.offsets import NO_TOPIC_ID
from penstock.coordinators.groups.records import GroupCodec
from penstock.coordinators.groups.share.commands import StatesToDelete, StatesToInitialize
from penstock.coordinators.groups.share.limits import share_limits_of
from penstock.coordinators.groups.state import GroupLimits
from penstock.coordinators.runtime import Runtime
from penstock.coordinators.service import CoordinatorService
from penstock.coordinators.shard import Shard
from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    InvalidGroupId,
    NotCoordinator,
    NotLeaderOrFollower,
    Refusal,
)
from penstock.metrics import MetricsRegistry
from penstock.model import Clock, Dice, TopicId, topic_id_text
from penstock.replication import Partitions, Promise
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.wire.markers import Marker
from penstock.wire.messages.consumer_group_describe_response import DescribedGroup as DescribedConsumerGroup
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from penstock.wire.messages.describe_groups_response import DescribedGroup
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.heartbeat_response import HeartbeatResponse
from penstock.wire.messages.join_group_request import JoinGroupRequest
from penstock.wire.messages.join_group_response import JoinGroupResponse
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse
from penstock.wire.messages.list_groups_response import ListedGroup
from penstock.wire.messages.offset_commit_request import OffsetCommitRequest
from penstock.wire.messages.offset_commit_response import OffsetCommitResponse
from penstock.wire.messages.offset_delete_request import OffsetDeleteRequest
from penstock.wire.messages.offset_delete_response import OffsetDeleteResponse
from penstock.wire.messages.offset_fetch_response import OffsetFetchResponseGroup
from penstock.wire.messages.sync_group_request import SyncGroupRequest
from penstock.wire.messages.sync_group_response import SyncGroupResponse
from penstock.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest
from penstock.wire.messages.txn_offset_commit_response import TxnOffsetCommitResponse


class Groups(CoordinatorService):
    def __init__(
        self,
        *,
        config: Config,
        image: ClusterImage,
        controller: Controller,
        partitions: Partitions,
        clock: Clock,
        dice: Dice,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        registry: MetricsRegistry,
        stands_alone: bool,
    ) -> None:
        super().__init__(CONSUMER_OFFSETS, image=image, controller=controller)
        self._config = config
        self._partitions = partitions
        self._clock = clock
        self._dice = dice
        self._spawn = spawn
        self._stands_alone = stands_alone
        self._limits = limits_of(config)
        self._consumer_limits = consumer_limits_of(config)
        self._share_limits = share_limits_of(config)
        self.on_states_to_initialize: Callable[[StatesToInitialize], None] = lambda _order: None
        """Share groups have states begun elsewhere before anybody reads."""
        self._view = ClusterView(image, config)
        self._timeout_s = config[settings.OFFSETS_COMMIT_TIMEOUT_MS] / 1000
        metrics.expose(registry, self._shards)

    # Beginning and end ------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to coordinate, once it is settled which partitions this broker leads and under which epochs."""
        self._runtime = Runtime(
            CONSUMER_OFFSETS,
            new_machine=lambda _partition: GroupMachine(
                self._limits, self._consumer_limits, self._view, self._share_limits
            ),
            codec=GroupCodec(),
            partitions=self._partitions,
            clock=self._clock,
            spawn=self._spawn,
            compression=self._config[settings.OFFSETS_TOPIC_COMPRESSION_CODEC],
            on_order=self.on_states_to_initialize,
            on_loaded=self._loaded,
        )
        self._image.subscribe(self._image_changed, Subscriber.GROUPS)

    async def _loaded(self, shard: Shard) -> Sequence[Command]:
        machine = shard.machine
        return await of_deleted_topics(machine, self._image) if isinstance(machine, GroupMachine) else ()

    def _image_changed(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            if isinstance(change, TopicDeleted | ViewDeleted) and self._runtime is not None:
                topic = change.topic if isinstance(change, TopicDeleted) else change.view
                ids = frozenset((topic.topic_id, NO_TOPIC_ID))
                for shard in self._runtime.shards():
                    command = commands.ForgetTopic(topic=topic.name, ids=ids)
                    self._runtime.tell(shard.partition.index, command)

    # Whose group it is ------------------------------------------------------------------------------------------

    def _topic_to_create(self) -> CreateTopic:
        config = self._config
        return CreateTopic(
            CONSUMER_OFFSETS,
            partitions=config[settings.OFFSETS_TOPIC_NUM_PARTITIONS],
            replication_factor=1 if self._stands_alone else config[settings.OFFSETS_TOPIC_REPLICATION_FACTOR],
            settings=(
                ("cleanup.policy", "compact"),
                ("compression.type", "producer"),
                ("segment.bytes", str(config[settings.OFFSETS_TOPIC_SEGMENT_BYTES])),
            ),
        )

    async def ask(self, group_id: str, make_command: Callable[[Address], Command]) -> Any:
        return await self._running.ask(self._index_of(group_id), make_command, within_s=self._timeout_s)

    def send(self, group_id: str, make_command: Callable[[Address], Command]) -> Promise[Any]:
        """The same for those who go on without a task: the promise's value is the answer, be it a Refusal."""
        return self._running.send(self._index_of(group_id), make_command, within_s=self._timeout_s)

    # Members ----------------------------------------------------------------------------------------------------

    def join(
        self,
        request: JoinGroupRequest,
        *,
        api_version: int,
        client_id: str,
        client_host: str,
        shows: commands.Shows | None = None,
    ) -> Promise[JoinGroupResponse]:
        """In two stages: the member is in the group when this returns; its answer comes with the generation."""
        name = client_id if request.group_instance_id is None else request.group_instance_id
        new_member_id = f"{name}-{self._random_uuid()}"
        return self._running.send(
            self._index_of(request.group_id),
            lambda address: commands.Join(
                address=address,
                request=request,
                api_version=api_version,
                client_id=client_id,
                client_host=client_host,
                new_member_id=new_member_id,
                shows=shows,
            ),
            replicated_within_s=self._timeout_s,
        )

    def _random_uuid(self) -> str:
        raw = bytearray(self._dice.random_bytes(16))
        raw[6] = raw[6] & 0x0F | 0x40
        raw[8] = raw[8] & 0x3F | 0x80
        text = raw.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def sync(self, request: SyncGroupRequest, *, api_version: int) -> Promise[SyncGroupResponse]:
        return self._running.send(
            self._index_of(request.group_id),
            lambda address: commands.Sync(address=address, request=request, api_version=api_version),
            replicated_within_s=self._timeout_s,
        )

    def heartbeat(self, request: HeartbeatRequest) -> Promise[HeartbeatResponse]:
        return self.send(request.group_id, lambda address: commands.Heartbeat(address=address, request=request))

    async def leave(self, group_id: str, members: list[MemberIdentity]) -> LeaveGroupResponse:
        response: LeaveGroupResponse = await self.ask(
            group_id, lambda address: commands.Leave(address=address, group_id=group_id, members=members)
        )
        return response

    # Members of consumer groups ---------------------------------------------------------------------------------

    def consumer_heartbeat(
        self,
        request: ConsumerGroupHeartbeatRequest,
        *,
        api_version: int,
        client_id: str,
        client_host: str,
        shows: commands.Shows | None = None,
    ) -> Promise[ConsumerGroupHeartbeatResponse]:
        self._image.features.require(GROUP_VERSION)
        check_heartbeat(request, api_version, self._consumer_limits.assignors)
        return self.send(
            request.group_id,
            lambda address: consumer_commands.ConsumerHeartbeat(
                address=address,
                request=request,
                client_id=client_id,
                client_host=client_host,
                new_member_id=topic_id_text(TopicId(self._dice.random_bytes(16))),
                shows=shows,
            ),
        )

    async def describe_consumer_group(self, group_id: str) -> DescribedConsumerGroup:
        self._image.features.require(GROUP_VERSION)
        described: DescribedConsumerGroup = await self.ask(
            group_id, lambda address: consumer_commands.DescribeConsumerGroup(address=address, group_id=group_id)
        )
        return described

    # Offsets ----------------------------------------------------------------------------------------------------

    def commit(self, request: OffsetCommitRequest, *, api_version: int) -> Promise[OffsetCommitResponse | Refusal]:
        return self.send(
            request.group_id,
            lambda address: commands.CommitOffsets(address=address, request=request, api_version=api_version),
        )

    async def fetch_offsets(
        self,
        group_id: str,
        topics: list[tuple[str, list[int]]] | None,
        *,
        require_stable: bool = False,
        member_id: str | None = None,
        member_epoch: int = -1,
    ) -> OffsetFetchResponseGroup:
        """Stable ones are also the latest: who requires them processes each record once, from there on. A coordinator
        that hung, or is cut off, may have been replaced and not know it.
        """
        partition = self._running.require_active(self._index_of(group_id)).partition
        found: FoundOffsets = await self.ask(
            group_id,
            lambda address: commands.FetchOffsets(
                address=address,
                group_id=group_id,
                topics=topics,
                require_stable=require_stable,
                proves_lead=require_stable and partition.followers.can_prove_lead,
                member_id=member_id,
                member_epoch=member_epoch,
            ),
        )
        response = OffsetFetchResponseGroup(group_id)
        for _ in found.fill(response, self._id_of):
            await asyncio.sleep(0)
        return response

    def _id_of(self, topic: str) -> bytes | None:
        found = self._image.topics.get(topic)
        return None if found is None else found.topic_id

    async def delete_offsets(self, request: OffsetDeleteRequest) -> OffsetDeleteResponse:
        response: OffsetDeleteResponse = await self.ask(
            request.group_id, lambda address: commands.DeleteOffsets(address=address, request=request)
        )
        return response

    # Offsets within transactions --------------------------------------------------------------------------------

    async def commit_in_transaction(
        self, request: TxnOffsetCommitRequest, *, api_version: int, topic_ids: Mapping[str, bytes], gate: AdmissionGate
    ) -> TxnOffsetCommitResponse:
        """Commit when the producer's transaction does. The group's partition must be part of it, or becomes so."""
        if not request.group_id:
            raise InvalidGroupId
        partition = self._running.require_active(self._index_of(request.group_id)).partition
        guard = await admitted(request, partition, gate, api_version=api_version)
        response: TxnOffsetCommitResponse = await self.ask(
            request.group_id,
            lambda address: commands.CommitInTransaction(
                address=address, request=request, topic_ids=topic_ids, guard=guard
            ),
        )
        return response

    async def complete_transaction(
        self, index: int, marker: Marker, *, producer_id: int, producer_epoch: int, transaction_version: int
    ) -> None:
        """Write a producer's marker to a partition of groups and let its offsets count, or not, in the same moment.

        A transaction's coordinator knows of leaders only: that the groups are loading is for it to ask again.
        """
        try:
            await self._running.ask(
                index,
                lambda address: EndTransaction(
                    address=address,
                    marker=marker,
                    producer_id=producer_id,
                    producer_epoch=producer_epoch,
                    transaction_version=transaction_version,
                ),
            )
        except (CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator) as refusal:
            raise NotLeaderOrFollower(refusal.message) from None

    # Groups as a whole ------------------------------------------------------------------------------------------

    async def list(self, states: list[str], types: list[str]) -> "list[ListedGroup]":
        """All groups that this broker coordinates."""
        runtime = self._running
        listed: list[ListedGroup] = []
        for shard in runtime.shards():
            with suppress(NotCoordinator):  # it has moved meanwhile, and whoever has it now tells of its groups
                listed += await runtime.ask(
                    shard.partition.index,
                    lambda address: commands.ListGroups(address=address, states=states, types=types),
                    within_s=self._timeout_s,
                )
            await asyncio.sleep(0)  # one coordinator with its thousands of groups at a time
        return listed

    async def describe(self, group_id: str, *, api_version: int) -> DescribedGroup:
        described: DescribedGroup = await self.ask(
            group_id,
            lambda address: commands.DescribeGroup(address=address, group_id=group_id, api_version=api_version),
        )
        return described

    async def delete(self, group_id: str) -> StatesToDelete | None:
        """Of a share group what is kept elsewhere goes first: that is the answer then."""
        first: StatesToDelete | None = await self.ask(
            group_id, lambda address: commands.DeleteGroup(address=address, group_id=group_id)
        )
        return first


def limits_of(config: Config) -> GroupLimits:
    return GroupLimits(
        session_timeout_min_ms=config[settings.GROUP_MIN_SESSION_TIMEOUT_MS],
        session_timeout_max_ms=config[settings.GROUP_MAX_SESSION_TIMEOUT_MS],
        initial_rebalance_delay_ms=config[settings.GROUP_INITIAL_REBALANCE_DELAY_MS],
        members_max=config[settings.GROUP_MAX_SIZE],
        groups_max=config[settings.PENSTOCK_GROUPS_PER_PARTITION_MAX],
        offset_metadata_max=config[settings.OFFSET_METADATA_MAX_BYTES],
        offsets_retention_ms=config[settings.OFFSETS_RETENTION_MINUTES] * 60_000,
        expiry_interval_ms=config[settings.OFFSETS_RETENTION_CHECK_INTERVAL_MS],
    )
