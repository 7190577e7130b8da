# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_acls_response import AclDescription, DescribeAclsResource, DescribeAclsResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeAclsResponse,
    {
        DescribeAclsResource: (
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("pattern_type", "int8"),
            Field("acls", "[]AclDescription"),
        ),
        AclDescription: (
            Field("principal", "string"),
            Field("host", "string"),
            Field("operation", "int8"),
            Field("permission_type", "int8"),
        ),
        DescribeAclsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("resources", "[]DescribeAclsResource"),
        ),
    },
)
