# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_share_group_state_response import (
    DeleteShareGroupStateResponse,
    DeleteStateResult,
    PartitionResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteShareGroupStateResponse,
    {
        DeleteStateResult: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionResult"),
        ),
        PartitionResult: (
            Field("partition", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        DeleteShareGroupStateResponse: (Field("results", "[]DeleteStateResult"),),
    },
)
