# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_groups_request import DescribeGroupsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeGroupsRequest,
    {
        DescribeGroupsRequest: (
            Field("groups", "[]string"),
            Field("include_authorized_operations", "bool", since=3),
        ),
    },
)
