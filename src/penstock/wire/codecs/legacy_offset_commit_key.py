# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.legacy_offset_commit_key import LegacyOffsetCommitKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    LegacyOffsetCommitKey,
    {
        LegacyOffsetCommitKey: (
            Field("group", "string"),
            Field("topic", "string"),
            Field("partition", "int32"),
        ),
    },
)
