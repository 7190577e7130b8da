# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterShareGroupOffsetsResponse,
    {
        AlterShareGroupOffsetsResponseTopic: (
            Field("topic_name", "string"),
            Field("topic_id", "uuid"),
            Field("partitions", "[]AlterShareGroupOffsetsResponsePartition"),
        ),
        AlterShareGroupOffsetsResponsePartition: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        AlterShareGroupOffsetsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("responses", "[]AlterShareGroupOffsetsResponseTopic"),
        ),
    },
)
