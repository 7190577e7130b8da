# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeConfigsRequest,
    {
        DescribeConfigsResource: (
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("configuration_keys", "[]string", null_since=0),
        ),
        DescribeConfigsRequest: (
            Field("resources", "[]DescribeConfigsResource"),
            Field("include_synonyms", "bool"),
            Field("include_documentation", "bool", since=3),
        ),
    },
)
