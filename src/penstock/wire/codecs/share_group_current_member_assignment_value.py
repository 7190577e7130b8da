# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_current_member_assignment_value import (
    ShareGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupCurrentMemberAssignmentValue,
    {
        TopicPartitions: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]int32"),
        ),
        ShareGroupCurrentMemberAssignmentValue: (
            Field("member_epoch", "int32"),
            Field("previous_member_epoch", "int32"),
            Field("state", "int8"),
            Field("assigned_partitions", "[]TopicPartitions"),
        ),
    },
)
