# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListGroupsResponse,
    {
        ListedGroup: (
            Field("group_id", "string"),
            Field("protocol_type", "string"),
            Field("group_state", "string", since=4, ignorable=True),
            Field("group_type", "string", since=5, ignorable=True),
        ),
        ListGroupsResponse: (
            Field("throttle_time_ms", "int32", since=1, ignorable=True),
            Field("error_code", "int16"),
            Field("groups", "[]ListedGroup"),
        ),
    },
)
