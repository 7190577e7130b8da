"""ShareAcknowledge (KIP-932): what became of records that a member of a share group was given.

v2 more time with a record (KIP-1222).
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, READ_TOPIC, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.broker.share_requests import SharePlaces, acknowledge, said_of, session_key
from penstock.cluster import ClusterImage
from penstock.delivery.shares.service import ShareDelivery
from penstock.delivery.shares.sessions import FINAL, SharedPartition
from penstock.errors import InvalidRequest, Refusal
from penstock.model import TopicId
from penstock.replication import Partitions, Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
from penstock.wire.messages.share_acknowledge_response import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)

LOCK_TIMEOUT_FROM = 2


@answers(ApiKey.SHARE_ACKNOWLEDGE, versions=(1, 2), requires=(READ_GROUP, READ_TOPIC), audits=(ResourceKind.GROUP,))
def share_acknowledge(
    request: ShareAcknowledgeRequest,
    context: RequestContext,
    shares: ShareDelivery,
    partitions: Partitions,
    image: ClusterImage,
    authorizer: Authorizer,
) -> ShareAcknowledgeResponse | Promise[ShareAcknowledgeResponse]:
    subject = context.caller.subject
    key = session_key(request.group_id, request.member_id, image, authorizer, subject)
    session = shares.begin_acknowledge(key, request.share_session_epoch)
    places = SharePlaces(partitions, image, authorizer, subject, context.listener)
    told: dict[SharedPartition, Promise[Refusal | None]] = {}
    leaves = request.share_session_epoch == FINAL
    for topic in request.topics:
        for part in topic.partitions:
            shared = SharedPartition(TopicId(topic.topic_id), part.partition_index)
            try:
                said = said_of(part.acknowledgement_batches, version=context.api_version, renews=request.is_renew_ack)
            except InvalidRequest as refusal:
                told[shared] = acknowledge(shares, key, places, shared, refusal, leaves=leaves)
            else:
                told[shared] = acknowledge(shares, key, places, shared, said, leaves=leaves)

    def answer() -> ShareAcknowledgeResponse:
        response = _response(told, places)
        if context.api_version >= LOCK_TIMEOUT_FROM:
            response.acquisition_lock_timeout_ms = shares.rules_of(key.group).lock_ms
        shares.end_if_final(session, request.share_session_epoch)
        return response

    if all(each.done() for each in told.values()):
        return answer()
    promise: Promise[ShareAcknowledgeResponse] = Promise()

    def came(_done: object) -> None:
        if not promise.done() and all(each.done() for each in told.values()):
            promise.set_result(answer())

    for each in told.values():
        each.add_done_callback(came)
    return promise


def _response(told: dict[SharedPartition, Promise[Refusal | None]], places: SharePlaces) -> ShareAcknowledgeResponse:
    topics: dict[TopicId, list[PartitionData]] = {}
    leaders: set[int] = set()
    for shared, promise in told.items():
        refusal = promise.result()
        row = PartitionData(partition_index=shared.number)
        if refusal is not None:
            row.error_code, row.error_message = refusal.code, refusal.message
            leader = places.leader(shared, refusal)
            if leader is not None:
                row.current_leader = LeaderIdAndEpoch(*leader)
                leaders.add(leader[0])
        topics.setdefault(shared.topic_id, []).append(row)
    return ShareAcknowledgeResponse(
        responses=[ShareAcknowledgeTopicResponse(topic_id, rows) for topic_id, rows in topics.items()],
        node_endpoints=[
            NodeEndpoint(each.node_id, each.host, each.port, each.rack) for each in places.endpoints(leaders)
        ]
        if leaders
        else [],
    )
