# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_update_key import ShareUpdateKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareUpdateKey,
    {
        ShareUpdateKey: (
            Field("group_id", "string"),
            Field("topic_id", "uuid"),
            Field("partition", "int32"),
        ),
    },
)
