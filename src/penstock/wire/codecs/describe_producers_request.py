# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeProducersRequest,
    {
        TopicRequest: (
            Field("name", "string"),
            Field("partition_indexes", "[]int32"),
        ),
        DescribeProducersRequest: (Field("topics", "[]TopicRequest"),),
    },
)
