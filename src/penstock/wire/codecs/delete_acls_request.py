# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteAclsRequest,
    {
        DeleteAclsFilter: (
            Field("resource_type_filter", "int8"),
            Field("resource_name_filter", "string", null_since=0),
            Field("pattern_type_filter", "int8"),
            Field("principal_filter", "string", null_since=0),
            Field("host_filter", "string", null_since=0),
            Field("operation", "int8"),
            Field("permission_type", "int8"),
        ),
        DeleteAclsRequest: (Field("filters", "[]DeleteAclsFilter"),),
    },
)
