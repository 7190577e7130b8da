# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteShareGroupOffsetsResponse,
    {
        DeleteShareGroupOffsetsResponseTopic: (
            Field("topic_name", "string"),
            Field("topic_id", "uuid"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        DeleteShareGroupOffsetsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("responses", "[]DeleteShareGroupOffsetsResponseTopic"),
        ),
    },
)
