# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterShareGroupOffsetsRequest,
    {
        AlterShareGroupOffsetsRequestTopic: (
            Field("topic_name", "string"),
            Field("partitions", "[]AlterShareGroupOffsetsRequestPartition"),
        ),
        AlterShareGroupOffsetsRequestPartition: (
            Field("partition_index", "int32"),
            Field("start_offset", "int64"),
        ),
        AlterShareGroupOffsetsRequest: (
            Field("group_id", "string"),
            Field("topics", "[]AlterShareGroupOffsetsRequestTopic"),
        ),
    },
)
