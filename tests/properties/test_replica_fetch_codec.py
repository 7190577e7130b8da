"""A follower's own codec for Fetch says what the generated one says, and nothing is worse than Malformed."""

import struct
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.wire import fetch as leaders_codec
from penstock.wire.api import ApiKey
from penstock.wire.fetch import FetchPartition, decode_request
from penstock.wire.framing import RequestHeader
from penstock.wire.malformed import Malformed
from penstock.wire.messages import fetch_request, fetch_response
from penstock.wire.replica_fetch import CLIENT_ID, VERSION, decode_head, decode_partitions, encode_request

i32 = st.integers(-(2**31), 2**31 - 1)
i64 = st.integers(-(2**63), 2**63 - 1)
topic_ids = st.binary(min_size=16, max_size=16)
partitions = st.builds(
    FetchPartition,
    index=i32,
    offset=i64,
    bytes_max=i32,
    current_leader_epoch=i32,
    last_fetched_epoch=i32,
    log_start_offset=i64,
    high_watermark=st.integers(0, 2**63 - 2),
)


@given(
    asked=st.dictionaries(topic_ids, st.lists(partitions, max_size=4), max_size=3),
    forgotten=st.dictionaries(topic_ids, st.lists(i32, max_size=4), max_size=3),
    numbers=st.tuples(i32, i32, i64, i32, i32, i32, i32, i32),
)
def test_a_request_reads_the_same_for_the_generated_and_for_the_leaders_codec(
    asked: dict[bytes, list[FetchPartition]], forgotten: dict[bytes, list[int]], numbers: tuple[int, ...]
) -> None:
    correlation_id, replica_id, replica_epoch, wait_ms, bytes_min, bytes_max, session_id, session_epoch = numbers
    frame = encode_request(
        correlation_id=correlation_id,
        replica_id=replica_id,
        replica_epoch=replica_epoch,
        wait_ms_max=wait_ms,
        bytes_min=bytes_min,
        bytes_max=bytes_max,
        session_id=session_id,
        session_epoch=session_epoch,
        asked=asked,
        forgotten=forgotten,
    )
    (size,) = struct.unpack_from(">i", frame)
    assert size == len(frame) - 4
    header, position = RequestHeader.decode(memoryview(frame)[4:])
    assert (header.api_key, header.api_version, header.correlation_id) == (ApiKey.FETCH, VERSION, correlation_id)
    assert header.client_id == CLIENT_ID.decode()
    body = memoryview(frame)[4 + position :]
    request = fetch_request.FetchRequest.decode(body, VERSION)
    assert (request.replica_state.replica_id, request.replica_state.replica_epoch) == (replica_id, replica_epoch)
    assert (request.session_id, request.session_epoch) == (session_id, session_epoch)
    seen = {
        bytes(topic.topic_id): [
            FetchPartition(
                index=p.partition,
                offset=p.fetch_offset,
                bytes_max=p.partition_max_bytes,
                current_leader_epoch=p.current_leader_epoch,
                last_fetched_epoch=p.last_fetched_epoch,
                log_start_offset=p.log_start_offset,
                high_watermark=p.high_watermark,
            )
            for p in topic.partitions
        ]
        for topic in request.topics
    }
    assert seen == asked
    assert {bytes(topic.topic_id): topic.partitions for topic in request.forgotten_topics_data} == forgotten
    hot = decode_request(body, 0, VERSION)
    assert dict(hot.topics) == asked and dict(hot.forgotten) == forgotten
    assert (hot.replica_id, hot.replica_epoch) == (replica_id, replica_epoch)


@given(
    topic_id=topic_ids,
    asked=st.lists(partitions, min_size=1, max_size=4),
    numbers=st.tuples(i32, i64, i32, i32, i32, i32, i32),
    changed=st.none() | st.tuples(st.integers(0, 10_000), st.integers(0, 255)),
)
def test_a_request_for_one_topic_reads_the_same_by_the_short_way(
    topic_id: bytes, asked: list[FetchPartition], numbers: tuple[int, ...], changed: tuple[int, int] | None
) -> None:
    replica_id, replica_epoch, wait_ms, bytes_min, bytes_max, session_id, session_epoch = numbers
    frame = encode_request(
        correlation_id=1,
        replica_id=replica_id,
        replica_epoch=replica_epoch,
        wait_ms_max=wait_ms,
        bytes_min=bytes_min,
        bytes_max=bytes_max,
        session_id=session_id,
        session_epoch=session_epoch,
        asked={topic_id: asked},
        forgotten={},
    )
    body = bytearray(frame[4 + RequestHeader.decode(memoryview(frame)[4:])[1] :])
    if changed is not None:
        at, byte = changed
        body[at % len(body)] = byte
    short = leaders_codec._decode_one(memoryview(body), 0, VERSION)
    if changed is None:
        assert short is not None
        assert short.topics == [(topic_id, asked)]
    if short is not None:  # what is no such request any more is left to the general reader
        assert short == leaders_codec._Decoder(memoryview(body), 0, VERSION).request()


@st.composite
def responses(draw: st.DrawFn) -> fetch_response.FetchResponse:
    parts: Any = st.builds(
        fetch_response.PartitionData,
        partition_index=i32,
        error_code=st.integers(0, 120),
        high_watermark=i64,
        last_stable_offset=i64,
        log_start_offset=i64,
        records=st.none() | st.binary(min_size=1, max_size=300),
        aborted_transactions=st.none()
        | st.lists(
            st.builds(fetch_response.AbortedTransaction, producer_id=i64, first_offset=i64),
            max_size=2,
        ),
        diverging_epoch=st.builds(
            fetch_response.EpochEndOffset, epoch=st.integers(-1, 2**31 - 1), end_offset=st.integers(-1, 2**63 - 1)
        ),
    )
    topic = st.builds(fetch_response.FetchableTopicResponse, topic_id=topic_ids, partitions=st.lists(parts, max_size=3))
    return fetch_response.FetchResponse(
        error_code=draw(st.integers(0, 120)), session_id=draw(i32), responses=draw(st.lists(topic, max_size=3))
    )


@given(responses())
def test_a_response_reads_as_it_was_written(response: fetch_response.FetchResponse) -> None:
    frame = memoryview(struct.pack(">iB", 7, 0) + response.encode(VERSION))
    head = decode_head(frame)
    assert (head.correlation_id, head.error_code, head.session_id) == (7, response.error_code, response.session_id)
    seen = [
        (
            answer.topic_id,
            answer.index,
            answer.error_code,
            answer.high_watermark,
            answer.log_start_offset,
            None if answer.records is None else bytes(answer.records),
            answer.diverging_epoch,
            answer.diverging_end_offset,
        )
        for answer in decode_partitions(frame, head.position)
    ]
    assert seen == [
        (
            bytes(topic.topic_id),
            part.partition_index,
            part.error_code,
            part.high_watermark,
            part.log_start_offset,
            None if part.records is None else bytes(part.records),
            part.diverging_epoch.epoch,
            part.diverging_epoch.end_offset,
        )
        for topic in response.responses
        for part in topic.partitions
    ]


@given(responses(), st.data())
def test_a_response_that_is_cut_or_changed_is_malformed_at_worst(
    response: fetch_response.FetchResponse, data: st.DataObject
) -> None:
    whole = bytearray(struct.pack(">iB", 7, 0) + response.encode(VERSION))
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    for place in data.draw(st.lists(st.integers(0, max(len(cut) - 1, 0)), max_size=3)):
        if cut:
            cut[place] = data.draw(st.integers(0, 255))
    try:
        head = decode_head(memoryview(cut))
        for _ in decode_partitions(memoryview(cut), head.position):
            pass
    except Malformed:
        pass
