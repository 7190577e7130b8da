"""OffsetFetch and OffsetDelete: what is wrong with the group is said whatever topics are asked for."""

import pytest
from tests.support.callers import a_context
from tests.support.groups_service import groups_world

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.offset_delete import offset_delete
from penstock.broker.handlers.offset_fetch import offset_fetch
from penstock.errors import GroupIdNotFound, InvalidGroupId, Refusal, UnknownMemberId, UnknownTopicId
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from penstock.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)

BY_ID = 10
MISSING = bytes(15) + b"\1"


@pytest.mark.parametrize(("group", "refusal"), [("", InvalidGroupId), ("nobody's", GroupIdNotFound)])
@pytest.mark.parametrize(("topic", "index"), [("missing", 0), ("orders", 7), ("orders", 0)])
async def test_a_group_is_refused_before_the_partitions_of_which_offsets_are_to_go(
    group: str, refusal: type[Refusal], topic: str, index: int
) -> None:
    request = OffsetDeleteRequest(group, [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(index)])])
    async with groups_world() as world:
        with pytest.raises(refusal):
            await offset_delete(request, a_context(version=0), world.groups, world.cluster.image, Authorizer())


@pytest.mark.parametrize("topics", [[], [OffsetFetchRequestTopics(topic_id=MISSING, partition_indexes=[0])]])
async def test_a_member_that_the_group_does_not_have_is_told_so_though_no_topic_is_known(
    topics: list[OffsetFetchRequestTopics],
) -> None:
    joins = ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id="one",
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["orders"],
        topic_partitions=[],
    )
    async with groups_world() as world:
        joined = await world.groups.consumer_heartbeat(joins, api_version=1, client_id="c", client_host="/127.0.0.1")

        async def fetched(member_id: str) -> tuple[int, list[int]]:
            asked = OffsetFetchRequestGroup("g", member_id, joined.member_epoch, topics)
            request = OffsetFetchRequest(groups=[asked])
            context, image = a_context(version=BY_ID), world.cluster.image
            answer = await offset_fetch(request, context, world.groups, image, Authorizer())
            (group,) = answer.groups
            return group.error_code, [part.error_code for topic in group.topics for part in topic.partitions]

        assert await fetched("one") == (0, [UnknownTopicId.code] * len(topics))
        assert await fetched("another") == (UnknownMemberId.code, [])
