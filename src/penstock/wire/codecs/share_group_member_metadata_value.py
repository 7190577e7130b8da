# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_member_metadata_value import ShareGroupMemberMetadataValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupMemberMetadataValue,
    {
        ShareGroupMemberMetadataValue: (
            Field("rack_id", "string", null_since=0),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("subscribed_topic_names", "[]string"),
        ),
    },
)
