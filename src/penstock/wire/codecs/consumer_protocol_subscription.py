# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription, TopicPartition
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerProtocolSubscription,
    {
        TopicPartition: (
            Field("topic", "string", since=1),
            Field("partitions", "[]int32", since=1),
        ),
        ConsumerProtocolSubscription: (
            Field("topics", "[]string"),
            Field("user_data", "bytes", null_since=0),
            Field("owned_partitions", "[]TopicPartition", since=1, ignorable=True),
            Field("generation_id", "int32", since=2, ignorable=True),
            Field("rack_id", "string", since=3, null_since=3, ignorable=True),
        ),
    },
)
