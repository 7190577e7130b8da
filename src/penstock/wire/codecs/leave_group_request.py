# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    LeaveGroupRequest,
    {
        MemberIdentity: (
            Field("member_id", "string", since=3),
            Field("group_instance_id", "string", since=3, null_since=3),
            Field("reason", "string", since=5, null_since=5, ignorable=True),
        ),
        LeaveGroupRequest: (
            Field("group_id", "string"),
            Field("member_id", "string", until=2),
            Field("members", "[]MemberIdentity", since=3),
        ),
    },
)
