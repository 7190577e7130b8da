"""Share groups as handlers use them, and what their machines order: states begun or deleted at the share coordinator of
each partition, which mostly is another broker.

An order is carried out, and what came of it told to the group, however it ends: a group that was closed for it is open
again then. Whoever has become the group's coordinator meanwhile has ordered it anew.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import msgspec
import structlog

from penstock.cluster import SHARE_VERSION, ClusterImage
from penstock.coordinators.decision import Address, Command
from penstock.coordinators.groups.commands import DeleteGroup
from penstock.coordinators.groups.log_ends import LogEnds, Place
from penstock.coordinators.groups.share import commands
from penstock.coordinators.groups.share.commands import (
    OffsetsAltering,
    OffsetsDeleting,
    StatesToDelete,
    StatesToInitialize,
)
from penstock.coordinators.groups.share.request_checks import check_heartbeat
from penstock.coordinators.shares.states import SharePartitionKey, ShareStates, ShareSummary
from penstock.errors import FencedStateEpoch, InvalidGroupId, Refusal, UnknownServerError, UnknownTopicOrPartition
from penstock.model import TopicId
from penstock.replication import Promise
from penstock.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
from penstock.wire.messages.alter_share_group_offsets_response import AlterShareGroupOffsetsResponse
from penstock.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest
from penstock.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)
from penstock.wire.messages.share_group_describe_response import DescribedGroup
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse

NOT_KNOWN: Final = -1
Outcomes = dict[tuple[TopicId, int], Refusal | None]


class ShareOffset(msgspec.Struct, frozen=True):
    """Where a group is in a partition: -1 stands for what nobody has said yet."""

    start: int = NOT_KNOWN
    leader_epoch: int = 0
    lag: int = NOT_KNOWN


_log = structlog.get_logger(__name__)


class Asking(Protocol):
    """The coordinators of groups on this broker; Refusals say that a group's is elsewhere."""

    async def ask(self, group_id: str, make_command: Callable[[Address], Command]) -> Any: ...

    def send(self, group_id: str, make_command: Callable[[Address], Command]) -> Promise[Any]: ...


class ShareGroupService:
    def __init__(
        self,
        groups: Asking,
        states: ShareStates,
        ends: LogEnds,
        image: ClusterImage,
        *,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
    ) -> None:
        self._groups = groups
        self._states = states
        self._ends = ends
        self._image = image
        self._spawn = spawn

    # Members ----------------------------------------------------------------------------------------------------

    def heartbeat(
        self, request: ShareGroupHeartbeatRequest, *, client_id: str, client_host: str
    ) -> Promise[ShareGroupHeartbeatResponse]:
        self._image.features.require(SHARE_VERSION)
        check_heartbeat(request)
        return self._groups.send(
            request.group_id,
            lambda address: commands.ShareHeartbeat(
                address=address, request=request, client_id=client_id, client_host=client_host
            ),
        )

    async def describe(self, group_id: str) -> DescribedGroup:
        self._check(group_id)
        described: DescribedGroup = await self._groups.ask(
            group_id, lambda address: commands.DescribeShareGroup(address=address, group_id=group_id)
        )
        return described

    def _check(self, group_id: str) -> None:
        self._image.features.require(SHARE_VERSION)
        if not group_id:
            raise InvalidGroupId

    # States that machines order ---------------------------------------------------------------------------------

    def order(self, order: StatesToInitialize) -> None:
        # No more of these than groups: one that has an order under way gives no other for the same partitions.
        self._soon(self._carry_out(order, reopens=False))

    async def _carry_out(self, order: StatesToInitialize, *, reopens: bool) -> Outcomes:
        wanted = [(topic_id, part, start) for topic_id, each in order.starts.items() for part, start in each.items()]
        outcomes: Outcomes = {(topic_id, part): UnknownTopicOrPartition() for topic_id, part, _ in wanted}
        known_epoch = 0
        try:
            begun = await asyncio.gather(*(self._begin(order, *each) for each in wanted))
            for (topic_id, part, _start), (refusal, epoch) in zip(wanted, begun, strict=True):
                outcomes[topic_id, part] = refusal
                known_epoch = max(known_epoch, epoch)
        finally:
            await self._tell(
                order.group_id,
                commands.StatesInitialized(
                    group_id=order.group_id,
                    state_epoch=order.state_epoch,
                    done=_by_topic(place for place, refusal in outcomes.items() if refusal is None),
                    failed=_by_topic(place for place, refusal in outcomes.items() if refusal is not None),
                    known_epoch=known_epoch,
                    reopens=reopens,
                ),
            )
        return outcomes

    async def _begin(
        self, order: StatesToInitialize, topic_id: TopicId, partition: int, start: int
    ) -> tuple[Refusal | None, int]:
        """Why it could not be, and the state epoch that was in the way."""
        key = SharePartitionKey(order.group_id, topic_id, partition)
        try:
            await self._states.initialize(key, state_epoch=order.state_epoch, start_offset=start)
        except FencedStateEpoch as refusal:
            with suppress(Refusal):
                return refusal, (await self._states.summary(key, leader_epoch=-1)).state_epoch
            return refusal, 0
        except Refusal as refusal:
            return refusal, 0
        return None, 0

    async def _tell(self, group_id: str, command: Command) -> None:
        with suppress(Refusal):  # its coordinator is another by now, which orders anew
            await self._groups.ask(group_id, lambda address: msgspec.structs.replace(command, address=address))

    async def _delete(self, order: StatesToDelete) -> Outcomes:
        """Then the group is told of topics of which nothing is kept any more, and is open again."""
        places = [(topic_id, part) for topic_id, parts in order.partitions.items() for part in sorted(parts)]

        async def one(topic_id: TopicId, partition: int) -> Refusal | None:
            try:
                await self._states.delete(SharePartitionKey(order.group_id, topic_id, partition))
            except Refusal as refusal:
                return refusal
            return None

        return dict(zip(places, await asyncio.gather(*(one(*place) for place in places)), strict=True))

    # Where groups stand -----------------------------------------------------------------------------------------

    async def known_partitions(self, group_id: str) -> Mapping[TopicId, frozenset[int]]:
        """Of which a state is kept; none for a group that is not there."""
        self._check(group_id)
        found: Mapping[TopicId, frozenset[int]] = await self._groups.ask(
            group_id, lambda address: commands.FindInitialized(address=address, group_id=group_id)
        )
        return found

    async def offsets(
        self, group_id: str, places: Sequence[tuple[TopicId, int]]
    ) -> dict[tuple[TopicId, int], ShareOffset | Refusal]:
        """Where the group is; a lag is told where both ends of it are known."""
        self._check(group_id)
        await self._groups.ask(  # only its coordinator says
            group_id, lambda address: commands.FindInitialized(address=address, group_id=group_id)
        )
        found = dict(
            zip(places, await asyncio.gather(*(self._summary(group_id, *each) for each in places)), strict=True)
        )
        named = {place: named for place in places if (named := self._named(place)) is not None}
        begun = [
            named[place]
            for place, summary in found.items()
            if isinstance(summary, ShareSummary) and summary.start_offset >= 0 and place in named
        ]
        ends = await self._ends.of(begun) if begun else {}
        return {
            place: summary if isinstance(summary, Refusal) else _offset(summary, ends.get(named.get(place, ("", -1))))
            for place, summary in found.items()
        }

    async def _summary(self, group_id: str, topic_id: TopicId, partition: int) -> ShareSummary | Refusal:
        try:
            return await self._states.summary(SharePartitionKey(group_id, topic_id, partition), leader_epoch=-1)
        except Refusal as refusal:
            return refusal

    def _named(self, place: tuple[TopicId, int]) -> Place | None:
        topic = self._image.topics_by_id.get(place[0])
        return None if topic is None else (topic.name, place[1])

    async def alter_offsets(self, request: AlterShareGroupOffsetsRequest) -> AlterShareGroupOffsetsResponse:
        self._check(request.group_id)
        altering: OffsetsAltering = await self._groups.ask(
            request.group_id, lambda address: commands.AlterShareOffsets(address=address, request=request)
        )
        response: AlterShareGroupOffsetsResponse = altering.response
        if altering.order is not None:
            outcomes = await self._soon(self._carry_out(altering.order, reopens=True))
            for topic in response.responses:
                for part in topic.partitions:
                    refusal = outcomes.get((TopicId(topic.topic_id), part.partition_index))
                    if refusal is not None:
                        part.error_code, part.error_message = refusal.code, refusal.message
        return response

    async def delete_offsets(self, request: DeleteShareGroupOffsetsRequest) -> DeleteShareGroupOffsetsResponse:
        self._check(request.group_id)
        deleting: OffsetsDeleting = await self._groups.ask(
            request.group_id, lambda address: commands.DeleteShareOffsets(address=address, request=request)
        )
        response: DeleteShareGroupOffsetsResponse = deleting.response
        if deleting.names:
            refused = await self._soon(
                self._delete_and_tell(request.group_id, frozenset(deleting.names), deleting.order)
            )
            response.responses += [
                DeleteShareGroupOffsetsResponseTopic(
                    name,
                    topic_id,
                    *((0, None) if topic_id not in refused else (refused[topic_id].code, refused[topic_id].message)),
                )
                for topic_id, name in deleting.names.items()
            ]
        return response

    async def delete_with_states(self, order: StatesToDelete) -> None:
        """A group, after what is kept of it."""
        refused = await self._soon(self._delete_and_tell(order.group_id, frozenset(order.partitions), order, ends=True))
        for refusal in refused.values():
            raise refusal

    async def _delete_and_tell(
        self, group_id: str, topics: frozenset[TopicId], order: StatesToDelete | None, *, ends: bool = False
    ) -> dict[TopicId, Refusal]:
        """The topics that could not be deleted whole. `ends`: the group goes with them, if they do."""
        outcomes = {} if order is None else await self._delete(order)
        refused = {topic_id: refusal for (topic_id, _), refusal in outcomes.items() if refusal is not None}
        if ends and not refused:
            await self._groups.ask(
                group_id,
                lambda address: DeleteGroup(address=address, group_id=group_id, states_are_deleted=True),
            )
        else:
            await self._tell(group_id, commands.StatesDeleted(group_id=group_id, topics=topics - refused.keys()))
        return refused

    def _soon(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Future[Any]":
        """Goes on when whoever asked has gone: a group must not stay closed for that."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._spawn(_see_to(work, done))
        return done


async def _see_to(work: Coroutine[Any, Any, Any], done: "asyncio.Future[Any]") -> None:
    value, error = None, None
    try:
        value = await work
    except Refusal as refusal:
        error = refusal
    except Exception as bug:
        _log.error("states of a share group not seen to", exc_info=bug)
        error = UnknownServerError()
    if done.cancelled():
        return
    if error is None:
        done.set_result(value)
    else:
        done.set_exception(error)


def _by_topic(places: Iterable[tuple[TopicId, int]]) -> dict[TopicId, frozenset[int]]:
    found: dict[TopicId, set[int]] = {}
    for topic_id, partition in places:
        found.setdefault(topic_id, set()).add(partition)
    return {topic_id: frozenset(parts) for topic_id, parts in found.items()}


def _offset(summary: ShareSummary, end: int | None) -> ShareOffset:
    is_known = summary.start_offset >= 0 and summary.delivery_complete_count >= 0 and end is not None
    lag = max(end - summary.start_offset - summary.delivery_complete_count, 0) if is_known and end is not None else -1
    return ShareOffset(summary.start_offset, summary.leader_epoch, lag)
