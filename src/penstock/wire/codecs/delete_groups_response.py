# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteGroupsResponse,
    {
        DeletableGroupResult: (
            Field("group_id", "string"),
            Field("error_code", "int16"),
        ),
        DeleteGroupsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("results", "[]DeletableGroupResult"),
        ),
    },
)
