# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_describe_request import StreamsGroupDescribeRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupDescribeRequest,
    {
        StreamsGroupDescribeRequest: (
            Field("group_ids", "[]string"),
            Field("include_authorized_operations", "bool"),
        ),
    },
)
