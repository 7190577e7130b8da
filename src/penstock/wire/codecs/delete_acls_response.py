# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteAclsResponse,
    {
        DeleteAclsFilterResult: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("matching_acls", "[]DeleteAclsMatchingAcl"),
        ),
        DeleteAclsMatchingAcl: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("pattern_type", "int8"),
            Field("principal", "string"),
            Field("host", "string"),
            Field("operation", "int8"),
            Field("permission_type", "int8"),
        ),
        DeleteAclsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("filter_results", "[]DeleteAclsFilterResult"),
        ),
    },
)
