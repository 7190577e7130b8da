"""The hand-made Produce and Fetch codecs say exactly what the generated ones say, at every version."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.wire import fetch as hot_fetch
from penstock.wire import produce as hot_produce
from penstock.wire.malformed import Malformed
from penstock.wire.messages import fetch_request, fetch_response, produce_request, produce_response

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=0, max_size=20)
ids = st.binary(min_size=16, max_size=16)
i16 = st.integers(-(2**15), 2**15 - 1)
i32 = st.integers(-(2**31), 2**31 - 1)
i64 = st.integers(-(2**63), 2**63 - 1)
# Long enough that lengths need one, two and three bytes.
blobs = st.one_of(st.binary(max_size=70), st.sampled_from([b"x" * 127, b"x" * 128, b"y" * 20_000]))

produce_versions = st.integers(3, 13)
fetch_versions = st.integers(4, 18)


def as_view(data: bytes | bytearray) -> memoryview:
    return memoryview(bytearray(data))


@st.composite
def produce_requests(draw: st.DrawFn) -> tuple[int, produce_request.ProduceRequest]:
    version = draw(produce_versions)
    partitions = st.builds(produce_request.PartitionProduceData, index=i32, records=st.one_of(st.none(), blobs))
    topics = st.builds(
        produce_request.TopicProduceData,
        **({"topic_id": ids} if version >= 13 else {"name": names}),
        partition_data=st.lists(partitions, max_size=3),
    )
    request = produce_request.ProduceRequest(
        transactional_id=draw(st.one_of(st.none(), names)),
        acks=draw(i16),
        timeout_ms=draw(i32),
        topic_data=draw(st.lists(topics, max_size=3)),
    )
    return version, request


@given(produce_requests())
def test_a_produce_request_reads_the_same(case: tuple[int, produce_request.ProduceRequest]) -> None:
    version, request = case
    read = hot_produce.decode_request(as_view(request.encode(version)), 0, version)
    assert (read.transactional_id, read.acks, read.timeout_ms) == (
        request.transactional_id,
        request.acks,
        request.timeout_ms,
    )
    assert read.topics == [
        (
            topic.topic_id if version >= 13 else topic.name.encode(),
            [(part.index, part.records) for part in topic.partition_data],
        )
        for topic in request.topic_data
    ]


@given(
    st.integers(9, 13),
    i16,
    i32,
    st.one_of(names, st.sampled_from(["n" * 126, "n" * 127, "n" * 200])),
    ids,
    i32,
    blobs,
    st.sampled_from([b"", b"\x07more"]),
)
def test_a_request_with_one_batch_reads_the_same_by_the_short_way(
    version: int, acks: int, timeout_ms: int, name: str, topic_id: bytes, index: int, records: bytes, after: bytes
) -> None:
    part = produce_request.PartitionProduceData(index=index, records=records)
    topic = produce_request.TopicProduceData(partition_data=[part])
    if version >= 13:
        topic.topic_id = topic_id
    else:
        topic.name = name
    frame = as_view(produce_request.ProduceRequest(None, acks, timeout_ms, [topic]).encode(version) + after)
    with_ids = version >= 13
    short = hot_produce._decode_one(frame, 0, with_ids=with_ids)
    general = hot_produce._decode_flexible(frame, 0, with_ids=with_ids)
    assert general.topics == [(topic_id if with_ids else name.encode(), [(index, memoryview(records))])]
    assert short == (general if with_ids or len(name.encode()) < 127 else None)


# Tags of the partition, of the topic and of the request; and each of them with a field that nobody knows.
@pytest.mark.parametrize("tags", [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)])
@pytest.mark.parametrize("version", [9, 12, 13])
def test_a_request_with_tags_goes_the_general_way(version: int, tags: tuple[int, int, int]) -> None:
    part = produce_request.PartitionProduceData(index=4, records=b"records")
    topic = produce_request.TopicProduceData(partition_data=[part])
    if version >= 13:
        topic.topic_id = bytes(range(16))
    else:
        topic.name = "orders"
    body = produce_request.ProduceRequest(None, 1, 5, [topic]).encode(version)
    assert body[-3:] == bytes(3)
    tagged = as_view(body[:-3] + b"".join(b"\x01\x09\x02hi" if tag else b"\x00" for tag in tags))
    assert hot_produce._decode_one(tagged, 0, with_ids=version >= 13) is None
    (read,) = hot_produce.decode_request(tagged, 0, version).topics
    assert read[1] == [(4, memoryview(b"records"))]


@given(produce_requests(), st.data())
def test_a_produce_request_cut_short_is_refused(
    case: tuple[int, produce_request.ProduceRequest], data: st.DataObject
) -> None:
    version, request = case
    body = request.encode(version)
    cut = data.draw(st.integers(0, len(body) - 1))
    with pytest.raises(Malformed):
        hot_produce.decode_request(as_view(body[:cut]), 0, version)


outcomes = st.builds(
    hot_produce.PartitionOutcome,
    index=i32,
    error_code=st.sampled_from([0, 3, 6, 87]),
    base_offset=i64,
    log_append_time_ms=i64,
    log_start_offset=i64,
)


@given(produce_versions, st.data())
def test_a_produce_response_is_written_the_same(version: int, data: st.DataObject) -> None:
    keys = ids if version >= 13 else names.map(str.encode)
    topics = data.draw(st.lists(st.tuples(keys, st.lists(outcomes, max_size=3)), max_size=3, unique_by=lambda t: t[0]))
    endpoints = []
    for _, parts in topics:
        for outcome in parts:
            if outcome.error_code and version >= 8:
                outcome.record_errors = data.draw(st.lists(st.tuples(i32, st.one_of(st.none(), names)), max_size=2))
                outcome.error_message = data.draw(st.one_of(st.none(), names))
            if outcome.error_code and version >= 10:
                outcome.current_leader = data.draw(
                    st.one_of(st.none(), st.tuples(st.integers(0, 9), st.integers(0, 9)))
                )
    if version >= 10:
        endpoints = data.draw(
            st.lists(
                st.builds(hot_produce.Endpoint, node_id=i32, host=names, port=i32, rack=st.one_of(st.none(), names)),
                max_size=2,
                unique_by=lambda endpoint: endpoint.node_id,
            )
        )
    written = hot_produce.encode_response(version, topics, endpoints, 17)
    expected = produce_response.ProduceResponse(
        responses=[
            produce_response.TopicProduceResponse(
                **({"topic_id": key} if version >= 13 else {"name": key.decode()}),
                partition_responses=[generated_outcome(outcome) for outcome in parts],
            )
            for key, parts in topics
        ],
        throttle_time_ms=17,
        node_endpoints=[
            produce_response.NodeEndpoint(node_id=e.node_id, host=e.host, port=e.port, rack=e.rack) for e in endpoints
        ],
    )
    assert bytes(written) == bytes(expected.encode(version))


@given(produce_versions, st.one_of(names, st.sampled_from(["n" * 126, "n" * 127])), ids, i32, i64, i64, i64)
def test_one_accepted_batch_is_answered_the_same_by_the_short_way(
    version: int, name: str, topic_id: bytes, index: int, base_offset: int, append_time: int, start: int
) -> None:
    key = topic_id if version >= 13 else name.encode()
    short = hot_produce.encode_accepted(
        version,
        key,
        index=index,
        base_offset=base_offset,
        log_append_time_ms=append_time,
        log_start_offset=start,
    )
    outcome = hot_produce.PartitionOutcome(index, 0, base_offset, append_time, start)
    assert bytes(short) == bytes(hot_produce.encode_response(version, [(key, [outcome])], [], 0))


def generated_outcome(outcome: hot_produce.PartitionOutcome) -> produce_response.PartitionProduceResponse:
    made = produce_response.PartitionProduceResponse(
        index=outcome.index,
        error_code=outcome.error_code,
        base_offset=outcome.base_offset,
        log_append_time_ms=outcome.log_append_time_ms,
        log_start_offset=outcome.log_start_offset,
        record_errors=[
            produce_response.BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=message)
            for index, message in outcome.record_errors
        ],
        error_message=outcome.error_message,
    )
    if outcome.current_leader is not None:
        leader_id, leader_epoch = outcome.current_leader
        made.current_leader = produce_response.LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
    return made


@st.composite
def fetch_requests(draw: st.DrawFn) -> tuple[int, fetch_request.FetchRequest]:
    version = draw(fetch_versions)
    fields: dict[str, Any] = {"partition": i32, "fetch_offset": i64, "partition_max_bytes": i32}
    if version >= 5:
        fields["log_start_offset"] = i64
    if version >= 9:
        fields["current_leader_epoch"] = i32
    if version >= 12:
        fields["last_fetched_epoch"] = i32
    if version >= 17:
        fields["replica_directory_id"] = st.one_of(st.just(bytes(16)), ids)  # with and without a tag
    if version >= 18:
        fields["high_watermark"] = st.one_of(st.just(2**63 - 1), i64)
    key = {"topic_id": ids} if version >= 13 else {"topic": names}
    topics = st.builds(
        fetch_request.FetchTopic,
        **key,
        partitions=st.lists(st.builds(fetch_request.FetchPartition, **fields), max_size=3),
    )
    request = fetch_request.FetchRequest(
        max_wait_ms=draw(i32),
        min_bytes=draw(i32),
        max_bytes=draw(i32),
        isolation_level=draw(st.integers(0, 1)),
        topics=draw(st.lists(topics, max_size=3)),
    )
    if draw(st.booleans()):  # a consumer's, which says no more than it must
        if version >= 7:
            request.session_id, request.session_epoch = draw(i32), draw(i32)
        return version, request
    if version < 15:
        request.replica_id = draw(i32)
    else:
        request.replica_state = fetch_request.ReplicaState(replica_id=draw(i32), replica_epoch=draw(i64))
    if version >= 7:
        request.session_id, request.session_epoch = draw(i32), draw(i32)
        forgotten = st.builds(fetch_request.ForgottenTopic, **key, partitions=st.lists(i32, max_size=3))
        request.forgotten_topics_data = draw(st.lists(forgotten, max_size=2))
    if version >= 11:
        request.rack_id = draw(names)
    if version >= 12:
        request.cluster_id = draw(st.one_of(st.none(), names))
    return version, request


@given(fetch_requests())
def test_a_fetch_request_reads_the_same(case: tuple[int, fetch_request.FetchRequest]) -> None:
    version, request = case
    read = hot_fetch.decode_request(as_view(request.encode(version)), 0, version)
    by_id = version >= 13
    expected = hot_fetch.FetchRequest(
        replica_id=request.replica_id if version < 15 else request.replica_state.replica_id,
        replica_epoch=-1 if version < 15 else request.replica_state.replica_epoch,
        wait_ms_max=request.max_wait_ms,
        bytes_min=request.min_bytes,
        bytes_max=request.max_bytes,
        isolation_level=request.isolation_level,
        session_id=request.session_id,
        session_epoch=request.session_epoch,
        topics=[
            (
                topic.topic_id if by_id else topic.topic.encode(),
                [
                    hot_fetch.FetchPartition(
                        part.partition,
                        part.fetch_offset,
                        part.partition_max_bytes,
                        part.current_leader_epoch,
                        part.last_fetched_epoch,
                        part.log_start_offset,
                        part.high_watermark,
                    )
                    for part in topic.partitions
                ],
            )
            for topic in request.topics
        ],
        forgotten=[
            (topic.topic_id if by_id else topic.topic.encode(), topic.partitions)
            for topic in request.forgotten_topics_data
        ],
        rack_id=request.rack_id,
        cluster_id=request.cluster_id,
    )
    assert read == expected


@given(fetch_requests(), st.data())
def test_a_fetch_request_cut_short_is_refused(
    case: tuple[int, fetch_request.FetchRequest], data: st.DataObject
) -> None:
    version, request = case
    body = request.encode(version)
    cut = data.draw(st.integers(0, len(body) - 1))
    with pytest.raises(Malformed):
        hot_fetch.decode_request(as_view(body[:cut]), 0, version)


class Blob:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)


@settings(max_examples=150)
@given(fetch_versions, st.data())
def test_a_fetch_response_is_written_the_same(version: int, data: st.DataObject) -> None:
    keys = ids if version >= 13 else names.map(str.encode)
    pair = st.tuples(i64, i64)
    answers = st.builds(
        hot_fetch.PartitionAnswer,
        index=i32,
        error_code=i16,
        high_watermark=i64,
        last_stable_offset=i64,
        log_start_offset=i64 if version >= 5 else st.just(-1),
        aborted=st.one_of(st.none(), st.lists(pair, max_size=2)),
        preferred_read_replica=i32 if version >= 11 else st.just(-1),
        records=st.one_of(st.none(), blobs.map(Blob)),
        diverging_epoch=st.one_of(st.none(), st.tuples(st.integers(0, 9), i64)) if version >= 12 else st.none(),
        current_leader=st.one_of(st.none(), st.tuples(st.integers(0, 9), i32)) if version >= 12 else st.none(),
    )
    topics = data.draw(st.lists(st.tuples(keys, st.lists(answers, max_size=3)), max_size=3))
    session: dict[str, Any] = {"error_code": 71, "session_id": 9} if version >= 7 else {}
    chunks = hot_fetch.encode_response(version, topics, throttle_time_ms=5, **session)
    written = b"".join(chunk.data if isinstance(chunk, Blob) else bytes(chunk) for chunk in chunks)
    expected = fetch_response.FetchResponse(
        throttle_time_ms=5,
        **session,
        responses=[
            fetch_response.FetchableTopicResponse(
                **({"topic_id": key} if version >= 13 else {"topic": key.decode()}),
                partitions=[generated_answer(answer) for answer in parts],
            )
            for key, parts in topics
        ],
    )
    assert written == bytes(expected.encode(version))


def generated_answer(answer: hot_fetch.PartitionAnswer) -> fetch_response.PartitionData:
    made = fetch_response.PartitionData(
        partition_index=answer.index,
        error_code=answer.error_code,
        high_watermark=answer.high_watermark,
        last_stable_offset=answer.last_stable_offset,
        log_start_offset=answer.log_start_offset,
        aborted_transactions=None
        if answer.aborted is None
        else [fetch_response.AbortedTransaction(producer_id=p, first_offset=o) for p, o in answer.aborted],
        preferred_read_replica=answer.preferred_read_replica,
        records=b"" if answer.records is None else answer.records.data,
    )
    if answer.diverging_epoch is not None:
        epoch, end_offset = answer.diverging_epoch
        made.diverging_epoch = fetch_response.EpochEndOffset(epoch=epoch, end_offset=end_offset)
    if answer.current_leader is not None:
        leader_id, leader_epoch = answer.current_leader
        made.current_leader = fetch_response.LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
    return made
