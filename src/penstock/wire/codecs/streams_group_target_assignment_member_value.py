# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_target_assignment_member_value import (
    StreamsGroupTargetAssignmentMemberValue,
    TaskIds,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupTargetAssignmentMemberValue,
    {
        TaskIds: (
            Field("subtopology_id", "string"),
            Field("partitions", "[]int32"),
        ),
        StreamsGroupTargetAssignmentMemberValue: (
            Field("active_tasks", "[]TaskIds"),
            Field("standby_tasks", "[]TaskIds"),
            Field("warmup_tasks", "[]TaskIds"),
        ),
    },
)
