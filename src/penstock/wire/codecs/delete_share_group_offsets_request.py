# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteShareGroupOffsetsRequest,
    {
        DeleteShareGroupOffsetsRequestTopic: (Field("topic_name", "string"),),
        DeleteShareGroupOffsetsRequest: (
            Field("group_id", "string"),
            Field("topics", "[]DeleteShareGroupOffsetsRequestTopic"),
        ),
    },
)
