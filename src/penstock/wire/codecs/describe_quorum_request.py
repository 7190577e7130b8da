# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeQuorumRequest,
    {
        TopicData: (
            Field("topic_name", "string"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (Field("partition_index", "int32"),),
        DescribeQuorumRequest: (Field("topics", "[]TopicData"),),
    },
)
