# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_current_member_assignment_key import StreamsGroupCurrentMemberAssignmentKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupCurrentMemberAssignmentKey,
    {
        StreamsGroupCurrentMemberAssignmentKey: (
            Field("group_id", "string"),
            Field("member_id", "string"),
        ),
    },
)
