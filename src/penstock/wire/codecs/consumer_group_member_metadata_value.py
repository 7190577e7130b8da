# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataValue,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupMemberMetadataValue,
    {
        ClassicMemberMetadata: (
            Field("session_timeout_ms", "int32"),
            Field("supported_protocols", "[]ClassicProtocol"),
        ),
        ClassicProtocol: (
            Field("name", "string"),
            Field("metadata", "bytes"),
        ),
        ConsumerGroupMemberMetadataValue: (
            Field("instance_id", "string", null_since=0),
            Field("rack_id", "string", null_since=0),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("subscribed_topic_names", "[]string"),
            Field("subscribed_topic_regex", "string", null_since=0),
            Field("rebalance_timeout_ms", "int32"),
            Field("server_assignor", "string", null_since=0),
            Field("classic_member_metadata", "ClassicMemberMetadata", null_since=0, tag=0),
        ),
    },
)
