# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_configs_request import AlterableConfig, AlterConfigsRequest, AlterConfigsResource
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterConfigsRequest,
    {
        AlterConfigsResource: (
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("configs", "[]AlterableConfig"),
        ),
        AlterableConfig: (
            Field("name", "string"),
            Field("value", "string", null_since=0),
        ),
        AlterConfigsRequest: (
            Field("resources", "[]AlterConfigsResource"),
            Field("validate_only", "bool"),
        ),
    },
)
