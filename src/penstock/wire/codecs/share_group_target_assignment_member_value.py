# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_target_assignment_member_value import (
    ShareGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupTargetAssignmentMemberValue,
    {
        TopicPartition: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]int32"),
        ),
        ShareGroupTargetAssignmentMemberValue: (Field("topic_partitions", "[]TopicPartition"),),
    },
)
