# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeShareGroupOffsetsRequest,
    {
        DescribeShareGroupOffsetsRequestGroup: (
            Field("group_id", "string"),
            Field("topics", "[]DescribeShareGroupOffsetsRequestTopic", null_since=0),
            Field("of_leader", "bool", tag=10000),
        ),
        DescribeShareGroupOffsetsRequestTopic: (
            Field("topic_name", "string"),
            Field("partitions", "[]int32"),
        ),
        DescribeShareGroupOffsetsRequest: (Field("groups", "[]DescribeShareGroupOffsetsRequestGroup"),),
    },
)
