# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerProtocolAssignment,
    {
        TopicPartition: (
            Field("topic", "string"),
            Field("partitions", "[]int32"),
        ),
        ConsumerProtocolAssignment: (
            Field("assigned_partitions", "[]TopicPartition"),
            Field("user_data", "bytes", null_since=0),
        ),
    },
)
