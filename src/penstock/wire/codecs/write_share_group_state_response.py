# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.write_share_group_state_response import (
    PartitionResult,
    WriteShareGroupStateResponse,
    WriteStateResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    WriteShareGroupStateResponse,
    {
        WriteStateResult: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionResult"),
        ),
        PartitionResult: (
            Field("partition", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        WriteShareGroupStateResponse: (Field("results", "[]WriteStateResult"),),
    },
)
