# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListGroupsRequest,
    {
        ListGroupsRequest: (
            Field("states_filter", "[]string", since=4),
            Field("types_filter", "[]string", since=5),
        ),
    },
)
