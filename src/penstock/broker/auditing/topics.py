"""How the APIs about topics and their partitions are told in the audit log."""

from collections.abc import Sequence
from typing import Any

from penstock.access.audit import Activity
from penstock.access.rights import ALTER_CLUSTER, Right
from penstock.broker.auditing.row import Key, Outcome, Row, State, Subject, of_partitions
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages import (
    alter_replica_log_dirs_response,
    create_partitions_response,
    create_topics_response,
    delete_records_response,
    delete_topics_response,
    write_txn_markers_response,
)


def _topic(state: State, name: str) -> Subject:
    return Subject("topic", name, lambda: state.topic(name))


def _partition(state: State, name: str, index: int) -> Subject:
    return Subject("partition", f"{name}-{index}", lambda: state.replicas(name, index))


# Topics -------------------------------------------------------------------------------------------------------------


def _topics_named(request: Any, state: State) -> list[Subject]:
    return [_topic(state, topic.name) for topic in request.topics]


def _created(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {("topic", topic.name): (topic.error_code, topic.error_message) for topic in response.topics}


def _not_created(request: Any, refusal: Refusal) -> Any:
    made = create_topics_response.CreatableTopicResult
    topics = [made(name=each.name, error_code=refusal.code, error_message=refusal.message) for each in request.topics]
    return create_topics_response.CreateTopicsResponse(topics=topics)


def _grown(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {("topic", topic.name): (topic.error_code, topic.error_message) for topic in response.results}


def _not_grown(request: Any, refusal: Refusal) -> Any:
    made = create_partitions_response.CreatePartitionsTopicResult
    results = [made(each.name, refusal.code, refusal.message) for each in request.topics]
    return create_partitions_response.CreatePartitionsResponse(results=results)


def _to_be_deleted(request: Any) -> list[tuple[str | None, bytes]]:
    if request.topics:
        return [(topic.name, topic.topic_id) for topic in request.topics]
    return [(name, bytes(16)) for name in request.topic_names]


def _deleted_subjects(request: Any, state: State) -> list[Subject]:
    asked = _to_be_deleted(request)
    return [_topic(state, _name(state, name, topic_id)) for name, topic_id in asked]


def _name(state: State, name: str | None, topic_id: bytes) -> str:
    return name or state.topic_named(topic_id) or topic_id.hex()


def _deleted(request: Any, response: Any, subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    """Who asked by an id and may not know the name is not told it."""
    asked = zip(_to_be_deleted(request), subjects, strict=True)
    by_id = {topic_id: subject.key for (_, topic_id), subject in asked}
    return {
        ("topic", each.name) if each.name else by_id[each.topic_id]: (each.error_code, each.error_message)
        for each in response.responses
        if each.name or each.topic_id in by_id
    }


def _not_deleted(request: Any, refusal: Refusal) -> Any:
    made = delete_topics_response.DeletableTopicResult
    return delete_topics_response.DeleteTopicsResponse(
        responses=[made(name, topic_id, refusal.code, refusal.message) for name, topic_id in _to_be_deleted(request)]
    )


# Records ------------------------------------------------------------------------------------------------------------


def _records_subjects(request: Any, _state: State) -> list[Subject]:
    return [
        Subject("partition", f"{topic.name}-{each.partition_index}", asked={"before_offset": each.offset})
        for topic in request.topics
        for each in topic.partitions
    ]


def _records_deleted(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return of_partitions(response.topics)


def _low_watermarks(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, tuple[Any, Any]]:
    return {
        ("partition", f"{topic.name}-{each.partition_index}"): (None, {"log_start_offset": each.low_watermark})
        for topic in response.topics
        for each in topic.partitions
        if not each.error_code
    }


def _records_kept(request: Any, refusal: Refusal) -> Any:
    made, of_topic = (
        delete_records_response.DeleteRecordsPartitionResult,
        delete_records_response.DeleteRecordsTopicResult,
    )
    return delete_records_response.DeleteRecordsResponse(
        topics=[
            of_topic(topic.name, [made(each.partition_index, -1, refusal.code) for each in topic.partitions])
            for topic in request.topics
        ]
    )


# Replicas -----------------------------------------------------------------------------------------------------------


def _reassigned_subjects(request: Any, state: State) -> list[Subject]:
    return [
        _partition(state, topic.name, each.partition_index) for topic in request.topics for each in topic.partitions
    ]


def _reassigned(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return of_partitions(response.responses)


def _elected_subjects(request: Any, state: State) -> list[Subject]:
    if request.topic_partitions is None:
        return [_partition(state, *each) for each in state.all_partitions()]
    return [_partition(state, each.topic, index) for each in request.topic_partitions for index in each.partitions]


def _election_takes(request: Any) -> Right | None:
    return ALTER_CLUSTER if request.topic_partitions is None else None


def _elected(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return of_partitions(
        response.replica_election_results, name="topic", partitions="partition_result", index="partition_id"
    )


def _moved_subjects(request: Any, _state: State) -> list[Subject]:
    return [
        Subject("partition", f"{topic.name}-{index}", asked={"path": folder.path})
        for folder in request.dirs
        for topic in folder.topics
        for index in topic.partitions
    ]


def _moved(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return of_partitions(response.results, name="topic_name")


def _not_moved(request: Any, refusal: Refusal) -> Any:
    made = alter_replica_log_dirs_response.AlterReplicaLogDirPartitionResult
    of_topic = alter_replica_log_dirs_response.AlterReplicaLogDirTopicResult
    return alter_replica_log_dirs_response.AlterReplicaLogDirsResponse(
        results=[
            of_topic(topic.name, [made(index, refusal.code) for index in topic.partitions])
            for folder in request.dirs
            for topic in folder.topics
        ]
    )


# Markers that an operator writes ------------------------------------------------------------------------------------


def _marked_subjects(request: Any, _state: State) -> list[Subject]:
    return [
        Subject(
            "partition",
            f"{topic.name}-{index}",
            asked={"producer_id": marker.producer_id, "commits": marker.transaction_result},
        )
        for marker in request.markers
        for topic in marker.topics
        for index in topic.partition_indexes
    ]


def _marked(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    outcomes: dict[Key, Outcome] = {}
    for marker in response.markers:
        outcomes |= of_partitions(marker.topics)
    return outcomes


def _not_marked(request: Any, refusal: Refusal) -> Any:
    messages = write_txn_markers_response
    made, of_topic = messages.WritableTxnMarkerPartitionResult, messages.WritableTxnMarkerTopicResult
    return messages.WriteTxnMarkersResponse(
        markers=[
            messages.WritableTxnMarkerResult(
                marker.producer_id,
                [
                    of_topic(topic.name, [made(index, refusal.code) for index in topic.partition_indexes])
                    for topic in marker.topics
                ],
            )
            for marker in request.markers
        ]
    )


ROWS = {
    ApiKey.CREATE_TOPICS: Row(Activity.CREATE, _topics_named, _created, _not_created),
    ApiKey.CREATE_PARTITIONS: Row(Activity.UPDATE, _topics_named, _grown, _not_grown),
    ApiKey.DELETE_TOPICS: Row(Activity.DELETE, _deleted_subjects, _deleted, _not_deleted),
    ApiKey.DELETE_RECORDS: Row(Activity.DELETE, _records_subjects, _records_deleted, _records_kept, _low_watermarks),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Row(Activity.UPDATE, _reassigned_subjects, _reassigned),
    # Where all are asked for, the response names those that changed.
    ApiKey.ELECT_LEADERS: Row(Activity.UPDATE, _elected_subjects, _elected, only_answered=True, takes=_election_takes),
    ApiKey.ALTER_REPLICA_LOG_DIRS: Row(Activity.UPDATE, _moved_subjects, _moved, _not_moved),
    ApiKey.WRITE_TXN_MARKERS: Row(Activity.OTHER, _marked_subjects, _marked, _not_marked, is_brokers_own=True),
}
