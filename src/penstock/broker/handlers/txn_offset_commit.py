"""TxnOffsetCommit: a group has read a partition up to here, if the producer's transaction commits.

v2 leader epoch, v3 flexible, member and generation (KIP-447), v4 TRANSACTION_ABORTABLE, v5 adds the group's partition
to the transaction (KIP-890); before, AddOffsetsToTxn does. Partitions that do not exist are refused alone; if none
does, the coordinator is not asked.
"""

import msgspec

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, READ_TOPIC, WRITE_TRANSACTIONAL_ID, ResourceKind
from penstock.broker.cooperative import split
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage
from penstock.coordinators.groups import Groups
from penstock.coordinators.transactions.transaction_gate import TransactionGate
from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    Refusal,
    TopicAuthorizationFailed,
    UnknownTopicOrPartition,
)
from penstock.wire.api import ApiKey
from penstock.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest, TxnOffsetCommitRequestTopic
from penstock.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

LOAD_IN_PROGRESS_FROM = 2
"""Older clients fail when they are told that a coordinator is loading."""


@answers(
    ApiKey.TXN_OFFSET_COMMIT,
    versions=(0, 5),
    requires=(WRITE_TRANSACTIONAL_ID, READ_GROUP, READ_TOPIC),
    audits=(ResourceKind.GROUP,),
)
async def txn_offset_commit(
    request: TxnOffsetCommitRequest,
    context: RequestContext,
    groups: Groups,
    image: ClusterImage,
    gate: TransactionGate,
    authorizer: Authorizer,
) -> TxnOffsetCommitResponse:
    subject = context.caller.subject
    try:
        authorizer.require(subject, WRITE_TRANSACTIONAL_ID, request.transactional_id)
        authorizer.require(subject, READ_GROUP, request.group_id)
    except Refusal as refusal:
        return TxnOffsetCommitResponse(topics=[_refused(topic, refusal) for topic in request.topics])
    names = dict.fromkeys(topic.name for topic in request.topics)
    _, forbidden = await split(authorizer, subject, READ_TOPIC, names)
    known, refused = _split(request.topics, image, frozenset(forbidden))
    if not known:
        return TxnOffsetCommitResponse(topics=refused)
    try:
        response = await groups.commit_in_transaction(
            msgspec.structs.replace(request, topics=known),
            api_version=context.api_version,
            topic_ids={topic.name: image.topics[topic.name].topic_id for topic in known},
            gate=gate,
        )
        answered = response.topics
    except Refusal as refusal:
        if isinstance(refusal, CoordinatorLoadInProgress) and context.api_version < LOAD_IN_PROGRESS_FROM:
            refusal = CoordinatorNotAvailable(refusal.message)
        answered = [_refused(topic, refusal) for topic in known]
    return TxnOffsetCommitResponse(topics=_joined(refused, answered))


def _split(
    topics: list[TxnOffsetCommitRequestTopic], image: ClusterImage, forbidden: frozenset[str]
) -> tuple[list[TxnOffsetCommitRequestTopic], list[TxnOffsetCommitResponseTopic]]:
    """What can be committed, and the answers for what cannot."""
    known: list[TxnOffsetCommitRequestTopic] = []
    refused: list[TxnOffsetCommitResponseTopic] = []
    for topic in topics:
        if topic.name in forbidden:
            refused.append(_refused(topic, TopicAuthorizationFailed()))
            continue
        found = image.topics.get(topic.name)
        count = 0 if found is None else len(found.partitions)
        there = [part for part in topic.partitions if 0 <= part.partition_index < count]
        if there:
            known.append(TxnOffsetCommitRequestTopic(topic.name, there))
        if found is None or len(there) < len(topic.partitions):
            absent = [part for part in topic.partitions if not 0 <= part.partition_index < count]
            refused.append(_refused(TxnOffsetCommitRequestTopic(topic.name, absent), UnknownTopicOrPartition()))
    return known, refused


def _refused(topic: TxnOffsetCommitRequestTopic, refusal: Refusal) -> TxnOffsetCommitResponseTopic:
    parts = [TxnOffsetCommitResponsePartition(part.partition_index, refusal.code) for part in topic.partitions]
    return TxnOffsetCommitResponseTopic(topic.name, parts)


def _joined(
    refused: list[TxnOffsetCommitResponseTopic], answered: list[TxnOffsetCommitResponseTopic]
) -> list[TxnOffsetCommitResponseTopic]:
    """One entry a topic, though some of its partitions were refused here and some answered there."""
    topics = {topic.name: topic for topic in refused}
    for topic in answered:
        if topic.name in topics:
            topics[topic.name].partitions += topic.partitions
        else:
            topics[topic.name] = topic
    return list(topics.values())
