# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    IncrementalAlterConfigsRequest,
    {
        AlterConfigsResource: (
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
            Field("configs", "[]AlterableConfig"),
        ),
        AlterableConfig: (
            Field("name", "string"),
            Field("config_operation", "int8"),
            Field("value", "string", null_since=0),
        ),
        IncrementalAlterConfigsRequest: (
            Field("resources", "[]AlterConfigsResource"),
            Field("validate_only", "bool"),
        ),
    },
)
