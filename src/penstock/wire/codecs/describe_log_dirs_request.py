# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_log_dirs_request import DescribableLogDirTopic, DescribeLogDirsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeLogDirsRequest,
    {
        DescribableLogDirTopic: (
            Field("topic", "string"),
            Field("partitions", "[]int32"),
        ),
        DescribeLogDirsRequest: (Field("topics", "[]DescribableLogDirTopic", null_since=0),),
    },
)
