# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_snapshot_value import ShareSnapshotValue, StateBatch
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareSnapshotValue,
    {
        StateBatch: (
            Field("first_offset", "int64"),
            Field("last_offset", "int64"),
            Field("delivery_state", "int8"),
            Field("delivery_count", "int16"),
        ),
        ShareSnapshotValue: (
            Field("snapshot_epoch", "int32"),
            Field("state_epoch", "int32"),
            Field("leader_epoch", "int32"),
            Field("start_offset", "int64"),
            Field("delivery_complete_count", "int32", tag=0),
            Field("create_timestamp", "int64"),
            Field("write_timestamp", "int64"),
            Field("state_batches", "[]StateBatch"),
        ),
    },
)
