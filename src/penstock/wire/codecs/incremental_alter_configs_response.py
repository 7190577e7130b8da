# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    IncrementalAlterConfigsResponse,
    {
        AlterConfigsResourceResponse: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("resource_type", "int8"),
            Field("resource_name", "string"),
        ),
        IncrementalAlterConfigsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("responses", "[]AlterConfigsResourceResponse"),
        ),
    },
)
