# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
    InFlightRange,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeShareGroupOffsetsResponse,
    {
        DescribeShareGroupOffsetsResponseGroup: (
            Field("group_id", "string"),
            Field("topics", "[]DescribeShareGroupOffsetsResponseTopic"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        DescribeShareGroupOffsetsResponseTopic: (
            Field("topic_name", "string"),
            Field("topic_id", "uuid"),
            Field("partitions", "[]DescribeShareGroupOffsetsResponsePartition"),
        ),
        DescribeShareGroupOffsetsResponsePartition: (
            Field("partition_index", "int32"),
            Field("start_offset", "int64"),
            Field("leader_epoch", "int32"),
            Field("lag", "int64", since=1, ignorable=True),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("in_flight", "[]InFlightRange", null_since=0, tag=10000),
        ),
        InFlightRange: (
            Field("first_offset", "int64"),
            Field("last_offset", "int64"),
            Field("delivery_count", "int16"),
            Field("member_id", "string"),
            Field("lock_left_ms", "int32"),
        ),
        DescribeShareGroupOffsetsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("groups", "[]DescribeShareGroupOffsetsResponseGroup"),
        ),
    },
)
