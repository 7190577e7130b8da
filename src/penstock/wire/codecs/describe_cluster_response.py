# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeClusterResponse,
    {
        DescribeClusterBroker: (
            Field("broker_id", "int32"),
            Field("host", "string"),
            Field("port", "int32"),
            Field("rack", "string", null_since=0),
            Field("is_fenced", "bool", since=2),
        ),
        DescribeClusterResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("endpoint_type", "int8", since=1),
            Field("cluster_id", "string"),
            Field("controller_id", "int32"),
            Field("brokers", "[]DescribeClusterBroker"),
            Field("cluster_authorized_operations", "int32"),
        ),
    },
)
