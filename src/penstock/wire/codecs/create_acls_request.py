# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreateAclsRequest,
    {
        AclCreation: (
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("resource_pattern_type", "int8"),
            Field("principal", "string"),
            Field("host", "string"),
            Field("operation", "int8"),
            Field("permission_type", "int8"),
        ),
        CreateAclsRequest: (Field("creations", "[]AclCreation"),),
    },
)
