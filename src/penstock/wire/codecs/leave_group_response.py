# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    LeaveGroupResponse,
    {
        MemberResponse: (
            Field("member_id", "string", since=3),
            Field("group_instance_id", "string", since=3, null_since=3),
            Field("error_code", "int16", since=3),
        ),
        LeaveGroupResponse: (
            Field("throttle_time_ms", "int32", since=1, ignorable=True),
            Field("error_code", "int16"),
            Field("members", "[]MemberResponse", since=3),
        ),
    },
)
