# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeConfigsResponse,
    {
        DescribeConfigsResult: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("configs", "[]DescribeConfigsResourceResult"),
        ),
        DescribeConfigsResourceResult: (
            Field("name", "string"),
            Field("value", "string", null_since=0),
            Field("read_only", "bool"),
            Field("config_source", "int8"),
            Field("is_sensitive", "bool"),
            Field("synonyms", "[]DescribeConfigsSynonym"),
            Field("config_type", "int8", since=3, ignorable=True),
            Field("documentation", "string", since=3, null_since=0, ignorable=True),
        ),
        DescribeConfigsSynonym: (
            Field("name", "string"),
            Field("value", "string", null_since=0),
            Field("source", "int8"),
        ),
        DescribeConfigsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("results", "[]DescribeConfigsResult"),
        ),
    },
)
