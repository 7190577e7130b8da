# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.producer_snapshot import ProducerEntry, ProducerSnapshot
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ProducerSnapshot,
    {
        ProducerEntry: (
            Field("producer_id", "int64"),
            Field("epoch", "int16"),
            Field("last_sequence", "int32"),
            Field("last_offset", "int64"),
            Field("offset_delta", "int32"),
            Field("timestamp", "int64"),
            Field("coordinator_epoch", "int32"),
            Field("current_txn_first_offset", "int64"),
        ),
        ProducerSnapshot: (
            Field("crc", "uint32"),
            Field("producer_entries", "[]ProducerEntry"),
        ),
    },
)
