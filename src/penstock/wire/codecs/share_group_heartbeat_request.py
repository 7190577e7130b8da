# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupHeartbeatRequest,
    {
        ShareGroupHeartbeatRequest: (
            Field("group_id", "string"),
            Field("member_id", "string"),
            Field("member_epoch", "int32"),
            Field("rack_id", "string", null_since=0),
            Field("subscribed_topic_names", "[]string", null_since=0),
        ),
    },
)
