# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeTopicPartitionsRequest,
    {
        TopicRequest: (Field("name", "string"),),
        Cursor: (
            Field("topic_name", "string"),
            Field("partition_index", "int32"),
        ),
        DescribeTopicPartitionsRequest: (
            Field("topics", "[]TopicRequest"),
            Field("response_partition_limit", "int32"),
            Field("cursor", "Cursor", null_since=0),
        ),
    },
)
