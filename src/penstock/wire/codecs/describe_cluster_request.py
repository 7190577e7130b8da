# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeClusterRequest,
    {
        DescribeClusterRequest: (
            Field("include_cluster_authorized_operations", "bool"),
            Field("endpoint_type", "int8", since=1),
            Field("include_fenced_brokers", "bool", since=2),
        ),
    },
)
