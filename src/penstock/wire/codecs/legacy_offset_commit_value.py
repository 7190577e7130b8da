# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.legacy_offset_commit_value import LegacyOffsetCommitValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    LegacyOffsetCommitValue,
    {
        LegacyOffsetCommitValue: (
            Field("offset", "int64"),
            Field("metadata", "string"),
            Field("commit_timestamp", "int64"),
        ),
    },
)
