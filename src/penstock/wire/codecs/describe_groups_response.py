# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribedGroupMember, DescribeGroupsResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeGroupsResponse,
    {
        DescribedGroup: (
            Field("error_code", "int16"),
            Field("error_message", "string", since=6, null_since=6),
            Field("group_id", "string"),
            Field("group_state", "string"),
            Field("protocol_type", "string"),
            Field("protocol_data", "string"),
            Field("members", "[]DescribedGroupMember"),
            Field("authorized_operations", "int32", since=3),
        ),
        DescribedGroupMember: (
            Field("member_id", "string"),
            Field("group_instance_id", "string", since=4, null_since=4, ignorable=True),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("member_metadata", "bytes"),
            Field("member_assignment", "bytes"),
        ),
        DescribeGroupsResponse: (
            Field("throttle_time_ms", "int32", since=1, ignorable=True),
            Field("groups", "[]DescribedGroup"),
        ),
    },
)
