"""Where versions differ: what is dropped, what is refused, what null means."""

import pytest

from penstock.wire import Malformed, Unencodable
from penstock.wire.messages.api_versions_response import ApiVersionsResponse, FinalizedFeatureKey
from penstock.wire.messages.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ConsumerGroupMemberMetadataValue,
)
from penstock.wire.messages.describe_topic_partitions_request import Cursor, DescribeTopicPartitionsRequest
from penstock.wire.messages.fetch_response import EpochEndOffset, FetchableTopicResponse, FetchResponse, PartitionData
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData


def test_a_metadata_request_for_all_topics_is_null_from_version_1_on() -> None:
    assert MetadataRequest(topics=None).encode(1) == b"\xff\xff\xff\xff"
    assert MetadataRequest(topics=[]).encode(1) == b"\x00\x00\x00\x00"
    assert MetadataRequest.decode(b"\xff\xff\xff\xff", 1).topics is None


def test_null_where_a_version_has_no_null_is_refused_both_ways() -> None:
    with pytest.raises(Malformed, match="topics must not be null"):
        MetadataRequest.decode(b"\xff\xff\xff\xff", 0)
    with pytest.raises(Unencodable, match="MetadataRequest v0: topics must not be None"):
        MetadataRequest(topics=None).encode(0)


def test_a_topic_name_may_be_null_only_from_version_10_on() -> None:
    request = MetadataRequest(topics=[MetadataRequestTopic(topic_id=b"i" * 16, name=None)])
    assert MetadataRequest.decode(request.encode(12), 12) == request
    with pytest.raises(Unencodable, match="name must not be None"):
        request.encode(9)


def test_an_ignorable_field_is_dropped_where_a_version_lacks_it() -> None:
    topic = MetadataResponseTopic(name="t", topic_id=b"i" * 16)
    encoded = MetadataResponse(topics=[topic], throttle_time_ms=7).encode(1)
    decoded = MetadataResponse.decode(encoded, 1)
    assert decoded.topics[0].topic_id == bytes(16)
    assert decoded.throttle_time_ms == 0


def test_any_other_field_that_is_set_is_refused_where_a_version_lacks_it() -> None:
    with pytest.raises(Unencodable, match="HeartbeatRequest v2: group_instance_id is set"):
        HeartbeatRequest(group_id="g", group_instance_id="i").encode(2)
    with pytest.raises(Unencodable, match="allow_auto_topic_creation is set"):
        MetadataRequest(allow_auto_topic_creation=False).encode(3)
    with pytest.raises(Unencodable, match="coordinator_keys is set"):
        FindCoordinatorRequest(coordinator_keys=["a"]).encode(3)


def test_a_tagged_field_at_its_default_takes_no_byte() -> None:
    answer = ApiVersionsResponse(finalized_features_epoch=5, finalized_features=[FinalizedFeatureKey("x", 2, 1)])
    assert ApiVersionsResponse.decode(answer.encode(3), 3) == answer
    assert ApiVersionsResponse().encode(3) == b"\x00\x00\x01\x00\x00\x00\x00\x00"


def test_a_tagged_struct_is_written_only_when_it_differs_from_its_default() -> None:
    quiet = PartitionData(records=b"")
    diverging = PartitionData(records=b"", diverging_epoch=EpochEndOffset(epoch=3, end_offset=9))
    sizes = []
    for partition in (quiet, diverging):
        response = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[partition])])
        encoded = response.encode(12)
        sizes.append(len(encoded))
        assert FetchResponse.decode(encoded, 12) == response
    assert sizes[1] - sizes[0] == 2 + 4 + 8 + 1  # tag and size; epoch, end offset, no tags of its own


def test_a_tagged_struct_that_may_be_null_says_so_before_it() -> None:
    value = ConsumerGroupMemberMetadataValue(classic_member_metadata=ClassicMemberMetadata(session_timeout_ms=1))
    empty = ConsumerGroupMemberMetadataValue()
    null = ConsumerGroupMemberMetadataValue(classic_member_metadata=None)
    assert value.encode(0).endswith(b"\xff\xff\xff\xff\x01\x01\x00\x07\x01\x00\x00\x00\x01\x01\x00")
    assert empty.encode(0).endswith(b"\xff\xff\xff\xff\x01\x00")
    assert null.encode(0).endswith(b"\xff\xff\xff\xff\x01\x01\x00\x01\x00")
    for each in (value, empty, null):
        assert ConsumerGroupMemberMetadataValue.decode(each.encode(0), 0) == each


def test_a_struct_that_may_be_null_has_a_byte_in_front() -> None:
    start = DescribeTopicPartitionsRequest(response_partition_limit=9)
    assert start.encode(0) == b"\x01\x00\x00\x00\x09\xff\x00"
    resumed = DescribeTopicPartitionsRequest(response_partition_limit=9, cursor=Cursor("t", 4))
    assert resumed.encode(0) == b"\x01\x00\x00\x00\x09\x01\x02t\x00\x00\x00\x04\x00\x00"
    assert DescribeTopicPartitionsRequest.decode(resumed.encode(0), 0) == resumed


def test_an_unknown_tagged_field_is_passed_over() -> None:
    encoded = HeartbeatRequest(group_id="g").encode(4)
    assert encoded[-1] == 0
    with_unknown = encoded[:-1] + b"\x01\x63\x03abc"
    assert HeartbeatRequest.decode(with_unknown, 4) == HeartbeatRequest(group_id="g")


def test_a_tagged_field_with_another_size_than_its_value_is_malformed() -> None:
    epoch_is_tag_1_of_8_bytes = b"\x00\x00\x01\x00\x00\x00\x00\x01\x01\x09" + bytes(9)
    with pytest.raises(Malformed, match="finalized_features_epoch does not have the size"):
        ApiVersionsResponse.decode(epoch_is_tag_1_of_8_bytes, 3)


def test_records_are_a_view_of_what_was_received() -> None:
    received = bytearray(
        ProduceRequest(
            acks=1, topic_data=[TopicProduceData(name="t", partition_data=[PartitionProduceData(0, b"abc")])]
        ).encode(9)
    )
    records = ProduceRequest.decode(memoryview(received), 9).topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert bytes(records) == b"abc"
    received[received.index(b"abc")] = ord("x")
    assert bytes(records) == b"xbc"


def test_a_message_is_read_from_where_its_header_ends() -> None:
    assert MetadataRequest.decode(b"header" + MetadataRequest().encode(4), 4, 6) == MetadataRequest()


def test_bytes_after_the_end_of_a_message_are_let_be() -> None:
    assert MetadataRequest.decode(MetadataRequest().encode(13) + b"\x00\x00\x00", 13) == MetadataRequest()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "truncated: 0 bytes"),
        (b"\x00\x00\x00", "truncated"),
        (b"\x00\x00\x00\x01\x00\x05abc\x00", "truncated"),
        (b"\xff\xff\xff\xfe\x00", "topics has the length -2"),
        (b"\x7f\xff\xff\xff\x00", "topics claims 2147483647 elements"),
        (b"\x00\x00\x00\x01\xff\xfb\x00", "name must not be null"),
        (b"\x00\x00\x00\x01\x00\x02\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(data: bytes, complaint: str) -> None:
    with pytest.raises(Malformed, match=f"MetadataRequest v4.*{complaint}"):
        MetadataRequest.decode(data, 4)


def test_versions_that_do_not_exist_are_refused() -> None:
    with pytest.raises(Malformed, match="MetadataRequest has no version 14"):
        MetadataRequest.decode(b"", 14)
    with pytest.raises(Unencodable, match="MetadataRequest has no version -1"):
        MetadataRequest().encode(-1)


def test_a_value_of_the_wrong_size_or_kind_is_refused_by_name() -> None:
    with pytest.raises(Unencodable, match="HeartbeatRequest v0"):
        HeartbeatRequest(generation_id=2**31).encode(0)
    with pytest.raises(Unencodable, match="HeartbeatRequest v4"):
        HeartbeatRequest(group_id=None).encode(4)  # type: ignore[arg-type]
    with pytest.raises(Unencodable, match="32768 bytes is too long"):
        HeartbeatRequest(group_id="x" * 32_768).encode(4)
