# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_update_value import ShareUpdateValue, StateBatch
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareUpdateValue,
    {
        StateBatch: (
            Field("first_offset", "int64"),
            Field("last_offset", "int64"),
            Field("delivery_state", "int8"),
            Field("delivery_count", "int16"),
        ),
        ShareUpdateValue: (
            Field("snapshot_epoch", "int32"),
            Field("leader_epoch", "int32"),
            Field("start_offset", "int64"),
            Field("delivery_complete_count", "int32", tag=0),
            Field("state_batches", "[]StateBatch"),
        ),
    },
)
