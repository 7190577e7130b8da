# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_current_member_assignment_value import (
    StreamsGroupCurrentMemberAssignmentValue,
    TaskIds,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupCurrentMemberAssignmentValue,
    {
        TaskIds: (
            Field("subtopology_id", "string"),
            Field("partitions", "[]int32"),
            Field("assignment_epochs", "[]int32", null_since=0, tag=0),
        ),
        StreamsGroupCurrentMemberAssignmentValue: (
            Field("member_epoch", "int32"),
            Field("previous_member_epoch", "int32"),
            Field("state", "int8"),
            Field("active_tasks", "[]TaskIds"),
            Field("standby_tasks", "[]TaskIds"),
            Field("warmup_tasks", "[]TaskIds"),
            Field("active_tasks_pending_revocation", "[]TaskIds"),
            Field("standby_tasks_pending_revocation", "[]TaskIds"),
            Field("warmup_tasks_pending_revocation", "[]TaskIds"),
        ),
    },
)
