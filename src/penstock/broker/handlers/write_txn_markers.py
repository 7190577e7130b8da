"""WriteTxnMarkers: a transaction coordinator ends transactions on the partitions that this broker leads.

v2 the transaction's version (KIP-1228): from 2 on a marker's epoch must be higher than that of the records it ends.
"""

from penstock.broker.marker_writer import MarkerEntry, MarkerWriter, Outcomes
from penstock.broker.registry import answers
from penstock.model import PartitionIndex, TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.write_txn_markers_request import WritableTxnMarker, WriteTxnMarkersRequest
from penstock.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)


@answers(ApiKey.WRITE_TXN_MARKERS, versions=(1, 2))
async def write_txn_markers(request: WriteTxnMarkersRequest, writer: MarkerWriter) -> WriteTxnMarkersResponse:
    written = await writer.write([_entry(marker) for marker in request.markers])
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
