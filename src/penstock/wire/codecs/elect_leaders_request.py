# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ElectLeadersRequest,
    {
        TopicPartitions: (
            Field("topic", "string"),
            Field("partitions", "[]int32"),
        ),
        ElectLeadersRequest: (
            Field("election_type", "int8", since=1),
            Field("topic_partitions", "[]TopicPartitions", null_since=0),
            Field("timeout_ms", "int32"),
        ),
    },
)
