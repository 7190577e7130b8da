# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    OffsetDeleteRequest,
    {
        OffsetDeleteRequestTopic: (
            Field("name", "string"),
            Field("partitions", "[]OffsetDeleteRequestPartition"),
        ),
        OffsetDeleteRequestPartition: (Field("partition_index", "int32"),),
        OffsetDeleteRequest: (
            Field("group_id", "string"),
            Field("topics", "[]OffsetDeleteRequestTopic"),
        ),
    },
)
