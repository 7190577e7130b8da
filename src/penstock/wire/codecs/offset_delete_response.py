# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    OffsetDeleteResponse,
    {
        OffsetDeleteResponseTopic: (
            Field("name", "string"),
            Field("partitions", "[]OffsetDeleteResponsePartition"),
        ),
        OffsetDeleteResponsePartition: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
        ),
        OffsetDeleteResponse: (
            Field("error_code", "int16"),
            Field("throttle_time_ms", "int32"),
            Field("topics", "[]OffsetDeleteResponseTopic"),
        ),
    },
)
