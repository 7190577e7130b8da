# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_member_metadata_value import (
    Endpoint,
    KeyValue,
    StreamsGroupMemberMetadataValue,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupMemberMetadataValue,
    {
        Endpoint: (
            Field("host", "string"),
            Field("port", "uint16"),
        ),
        KeyValue: (
            Field("key", "string"),
            Field("value", "string"),
        ),
        StreamsGroupMemberMetadataValue: (
            Field("instance_id", "string", null_since=0),
            Field("rack_id", "string", null_since=0),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("rebalance_timeout_ms", "int32"),
            Field("topology_epoch", "int32"),
            Field("process_id", "string"),
            Field("user_endpoint", "Endpoint", null_since=0),
            Field("client_tags", "[]KeyValue"),
        ),
    },
)
