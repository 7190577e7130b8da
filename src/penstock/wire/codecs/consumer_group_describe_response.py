# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_describe_response import (
    Assignment,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupDescribeResponse,
    {
        TopicPartitions: (
            Field("topic_id", "uuid"),
            Field("topic_name", "string"),
            Field("partitions", "[]int32"),
        ),
        Assignment: (Field("topic_partitions", "[]TopicPartitions"),),
        DescribedGroup: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("group_id", "string"),
            Field("group_state", "string"),
            Field("group_epoch", "int32"),
            Field("assignment_epoch", "int32"),
            Field("assignor_name", "string"),
            Field("members", "[]Member"),
            Field("authorized_operations", "int32"),
        ),
        Member: (
            Field("member_id", "string"),
            Field("instance_id", "string", null_since=0),
            Field("rack_id", "string", null_since=0),
            Field("member_epoch", "int32"),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("subscribed_topic_names", "[]string"),
            Field("subscribed_topic_regex", "string", null_since=0),
            Field("assignment", "Assignment"),
            Field("target_assignment", "Assignment"),
            Field("member_type", "int8", since=1, ignorable=True),
        ),
        ConsumerGroupDescribeResponse: (
            Field("throttle_time_ms", "int32"),
            Field("groups", "[]DescribedGroup"),
        ),
    },
)
