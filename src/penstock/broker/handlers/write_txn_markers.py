"""WriteTxnMarkers: a transaction coordinator ends transactions on the partitions that this broker leads.

v2 the transaction's version (KIP-1228): from 2 on a marker's epoch must be higher than that of the records it ends.

Where there are other brokers, only they end transactions (RULES 25). One thing is left to operators, who have the right
to ALTER the cluster where there are access rules: to abort a transaction that is open here, which is how one that hangs
is ended by hand (`penstock txn abort`, Kafka's TransactionsCommand). Nobody commits by hand. A broker that is one no
longer is no operator: what it has to say may be about a transaction long over, and by hand nothing is held against the
coordinator's epoch.
"""

from collections.abc import Sequence

import msgspec
import structlog

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, CLUSTER_ACTION, ResourceKind
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.transactions.marker_writer import MarkerEntry, MarkerWriter, Outcomes
from penstock.errors import ClusterAuthorizationFailed
from penstock.model import PartitionIndex, TopicPartition
from penstock.replication import Partitions
from penstock.wire.api import ApiKey
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.write_txn_markers_request import WritableTxnMarker, WriteTxnMarkersRequest
from penstock.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)

_log = structlog.get_logger(__name__)


@answers(
    ApiKey.WRITE_TXN_MARKERS, versions=(1, 2), requires=(ALTER_CLUSTER, CLUSTER_ACTION), audits=(ResourceKind.TOPIC,)
)
async def write_txn_markers(
    request: WriteTxnMarkersRequest,
    context: RequestContext,
    writer: MarkerWriter,
    partitions: Partitions,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> WriteTxnMarkersResponse:
    entries = [_entry(marker) for marker in request.markers]
    subject = context.caller.subject
    try:
        if not authorizer.has(subject, ALTER_CLUSTER):
            authorizer.require(subject, CLUSTER_ACTION)
    except ClusterAuthorizationFailed as refusal:
        return _answer(request, [dict.fromkeys(entry.partitions, refusal) for entry in entries])
    try:
        authenticator.require_broker(context.caller)
        written = await writer.write(entries)
    except ClusterAuthorizationFailed as refusal:
        if context.caller.is_broker:
            written = [dict.fromkeys(entry.partitions, refusal) for entry in entries]
        else:
            written = await _abort_by_hand(entries, refusal, writer, partitions, context)
    return _answer(request, written)


def _answer(request: WriteTxnMarkersRequest, written: Sequence[Outcomes]) -> WriteTxnMarkersResponse:
    by_producer: dict[int, Outcomes] = {}  # one row a producer, as in Kafka
    for marker, outcomes in zip(request.markers, written, strict=True):
        if not outcomes:
            continue
        by_producer.setdefault(marker.producer_id, {}).update(outcomes)
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(producer_id=producer_id, topics=_topics(outcomes))
            for producer_id, outcomes in by_producer.items()
        ]
    )


async def _abort_by_hand(
    entries: list[MarkerEntry],
    refusal: ClusterAuthorizationFailed,
    writer: MarkerWriter,
    partitions: Partitions,
    context: RequestContext,
) -> list[Outcomes]:
    """For an operator: abort what is open here, and refuse everything else."""
    results: list[Outcomes] = []
    for entry in entries:
        outcomes: Outcomes = dict.fromkeys(entry.partitions, refusal)
        for at in entry.partitions:
            abort = _abort(entry, at, partitions)
            if abort is not None:
                _log.warning("aborted by hand", partition=str(at), producer=entry.producer_id, peer=context.peer)
                (written,) = await writer.write([abort])
                outcomes |= written
        results.append(outcomes)
    return results


def _abort(entry: MarkerEntry, at: TopicPartition, partitions: Partitions) -> MarkerEntry | None:
    """The marker that ends what is open there; None if nothing is, or not that is what was asked for.

    It goes under the coordinator epoch that is known there: a higher one would lock the coordinator out (RULES 31).
    """
    partition = partitions.get(at.topic, at.partition)
    if entry.marker.type is not MarkerType.ABORT or partition is None or not partition.is_leader:
        return None
    coordinator_epoch = partition.transactions.open_under(entry.producer_id, entry.producer_epoch)
    if coordinator_epoch is None:
        return None
    marker = Marker(MarkerType.ABORT, max(coordinator_epoch, 0))
    return msgspec.structs.replace(entry, marker=marker, partitions=[at])


def _entry(marker: WritableTxnMarker) -> MarkerEntry:
    ending = MarkerType.COMMIT if marker.transaction_result else MarkerType.ABORT
    return MarkerEntry(
        marker=Marker(ending, marker.coordinator_epoch),
        producer_id=marker.producer_id,
        producer_epoch=marker.producer_epoch,
        transaction_version=marker.transaction_version,
        partitions=[
            TopicPartition(topic.name, PartitionIndex(index))
            for topic in marker.topics
            for index in topic.partition_indexes
        ],
    )


def _topics(outcomes: Outcomes) -> list[WritableTxnMarkerTopicResult]:
    by_topic: dict[str, list[WritableTxnMarkerPartitionResult]] = {}
    for at, refusal in outcomes.items():
        by_topic.setdefault(at.topic, []).append(
            WritableTxnMarkerPartitionResult(
                partition_index=at.partition, error_code=0 if refusal is None else refusal.code
            )
        )
    return [WritableTxnMarkerTopicResult(name=name, partitions=parts) for name, parts in by_topic.items()]
