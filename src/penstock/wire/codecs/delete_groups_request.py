# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_groups_request import DeleteGroupsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteGroupsRequest,
    {
        DeleteGroupsRequest: (Field("groups_names", "[]string"),),
    },
)
