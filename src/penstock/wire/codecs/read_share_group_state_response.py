# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.read_share_group_state_response import (
    PartitionResult,
    ReadShareGroupStateResponse,
    ReadStateResult,
    StateBatch,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ReadShareGroupStateResponse,
    {
        ReadStateResult: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionResult"),
        ),
        PartitionResult: (
            Field("partition", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("state_epoch", "int32"),
            Field("start_offset", "int64"),
            Field("state_batches", "[]StateBatch"),
            Field("relay", "bytes", tag=10011),
        ),
        StateBatch: (
            Field("first_offset", "int64"),
            Field("last_offset", "int64"),
            Field("delivery_state", "int8"),
            Field("delivery_count", "int16"),
            Field("not_before_ms", "int64", tag=10000),
            Field("dead_letter_reason", "int8", tag=10010),
        ),
        ReadShareGroupStateResponse: (Field("results", "[]ReadStateResult"),),
    },
)
