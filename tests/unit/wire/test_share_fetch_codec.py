"""The hand-written response of ShareFetch against the generated codec."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.messages.share_fetch_response import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchResponse,
)
from penstock.wire.produce import Endpoint
from penstock.wire.share_fetch import SharePartitionAnswer, encode_response

i16, i32, i64 = st.integers(-(2**15), 2**15 - 1), st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
texts = st.none() | st.text(max_size=200)


class Bytes(bytes):
    @property
    def size(self) -> int:
        return len(self)


answers = st.builds(
    SharePartitionAnswer,
    index=i32,
    error_code=i16,
    error_message=texts,
    acknowledge_error_code=i16,
    acknowledge_error_message=texts,
    current_leader=st.tuples(i32, i32),
    records=st.binary(max_size=300).map(Bytes),
    acquired=st.lists(st.tuples(i64, i64, i16), max_size=3),
)
endpoints = st.builds(Endpoint, node_id=i32, host=st.text(max_size=9), port=i32, rack=texts)


@pytest.mark.parametrize("version", [1, 2])
@given(
    topics=st.lists(st.tuples(st.binary(min_size=16, max_size=16), st.lists(answers, max_size=3)), max_size=3),
    error=st.tuples(i16, texts),
    times=st.tuples(i32, i32),
    nodes=st.lists(endpoints, max_size=2),
)
def test_it_writes_what_the_generated_codec_writes(
    version: int, topics: Any, error: tuple[int, str | None], times: tuple[int, int], nodes: list[Endpoint]
) -> None:
    chunks = encode_response(
        topics,
        error_code=error[0],
        error_message=error[1],
        throttle_time_ms=times[0],
        lock_timeout_ms=times[1],
        endpoints=nodes,
    )
    expected = ShareFetchResponse(
        times[0],
        error[0],
        error[1],
        times[1],
        [
            ShareFetchableTopicResponse(
                topic_id,
                [
                    PartitionData(
                        each.index,
                        each.error_code,
                        each.error_message,
                        each.acknowledge_error_code,
                        each.acknowledge_error_message,
                        LeaderIdAndEpoch(*each.current_leader),
                        bytes(each.records),
                        [AcquiredRecords(*row) for row in each.acquired],
                    )
                    for each in parts
                ],
            )
            for topic_id, parts in topics
        ],
        [NodeEndpoint(each.node_id, each.host, each.port, each.rack) for each in nodes],
    )
    assert b"".join(bytes(chunk) for chunk in chunks) == expected.encode(version)
