"""DescribeShareGroupOffsets (KIP-932): where share groups are in partitions.

v1 how many records are left (KIP-1226). Our own tagged field has a broker tell, of the partitions that it leads, which
records are with whom (docs/adr/0089).
"""

from collections.abc import Iterable, Sequence

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC, NOTHING
from penstock.access.subject import Subject
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage
from penstock.coordinators.groups.share_service import NOT_KNOWN, ShareGroupService, ShareOffset
from penstock.delivery.shares.ranges import ACQUIRED
from penstock.delivery.shares.service import ShareDelivery
from penstock.errors import Refusal, TopicAuthorizationFailed, UnknownTopicOrPartition
from penstock.model import Clock, TopicId
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from penstock.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
    InFlightRange,
)

Row = DescribeShareGroupOffsetsResponsePartition
Found = DescribeShareGroupOffsetsResponseTopic


@answers(
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, versions=(0, 1), requires=(DESCRIBE_GROUP, DESCRIBE_TOPIC), audits=NOTHING
)
async def describe_share_group_offsets(
    request: DescribeShareGroupOffsetsRequest,
    context: RequestContext,
    share_groups: ShareGroupService,
    shares: ShareDelivery,
    image: ClusterImage,
    authorizer: Authorizer,
    clock: Clock,
) -> DescribeShareGroupOffsetsResponse:
    response = DescribeShareGroupOffsetsResponse()
    async for group in cooperatively(request.groups, at_once=1):
        try:
            authorizer.require(context.caller.subject, DESCRIBE_GROUP, group.group_id)
            if group.of_leader:
                topics = _in_flight(group, context.caller.subject, shares, authorizer, clock)
            else:
                topics = await _described(group, context.caller.subject, share_groups, image, authorizer)
            told = DescribeShareGroupOffsetsResponseGroup(group.group_id, topics)
        except Refusal as refusal:
            told = DescribeShareGroupOffsetsResponseGroup(group.group_id, [], refusal.code, refusal.message)
        response.groups.append(told)
    return response


async def _described(
    group: DescribeShareGroupOffsetsRequestGroup,
    subject: Subject,
    share_groups: ShareGroupService,
    image: ClusterImage,
    authorizer: Authorizer,
) -> list[Found]:
    if group.topics is None:
        known = await share_groups.known_partitions(group.group_id)
        asked = [(topic.name, sorted(parts)) for id_, parts in known.items() if (topic := image.topics_by_id.get(id_))]
        asked = [
            each async for each in cooperatively(sorted(asked)) if authorizer.shows(subject, DESCRIBE_TOPIC, each[0])
        ]
    else:
        asked = [(topic.topic_name, topic.partitions) for topic in group.topics]
    refused: list[Found] = []
    wanted: list[tuple[str, TopicId, Sequence[int]]] = []
    async for name, partitions in cooperatively(asked):
        found = image.topics.get(name)
        if not authorizer.allows(subject, DESCRIBE_TOPIC, name):
            refused.append(Found(name, partitions=_refused(partitions, TopicAuthorizationFailed())))
        elif found is None:
            refused.append(Found(name, partitions=_refused(partitions, UnknownTopicOrPartition())))
        else:
            wanted.append((name, found.topic_id, partitions))
    places = [(topic_id, part) for _, topic_id, partitions in wanted for part in partitions]
    offsets = await share_groups.offsets(group.group_id, places)
    return refused + [
        Found(name, topic_id, [_row(part, offsets[topic_id, part]) for part in partitions])
        for name, topic_id, partitions in wanted
    ]


def _in_flight(
    group: DescribeShareGroupOffsetsRequestGroup,
    subject: Subject,
    shares: ShareDelivery,
    authorizer: Authorizer,
    clock: Clock,
) -> list[Found]:
    topics: dict[TopicId, Found] = {}
    now = clock.monotonic()
    for share in shares.share_partitions.of_group(group.group_id):
        name, machine = share.partition.topic, share.machine
        if machine is None or not authorizer.shows(subject, DESCRIBE_TOPIC, name):
            continue
        row = Row(share.key.partition, machine.start_offset, share.leader_epoch, share.lag)
        row.in_flight = [
            InFlightRange(each.first, each.last, each.count, each.member, max(int((each.deadline - now) * 1000), 0))
            for each in machine.window.ranges
            if each.state == ACQUIRED
        ]
        topics.setdefault(share.key.topic_id, Found(name, share.key.topic_id)).partitions.append(row)
    return list(topics.values())


def _row(partition: int, found: ShareOffset | Refusal) -> Row:
    if isinstance(found, Refusal):
        return _refused((partition,), found)[0]
    return Row(partition, found.start, found.leader_epoch, found.lag)


def _refused(partitions: Iterable[int], refusal: Refusal) -> list[Row]:
    return [Row(part, NOT_KNOWN, 0, NOT_KNOWN, refusal.code, refusal.message) for part in partitions]
