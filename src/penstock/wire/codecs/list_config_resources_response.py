# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_config_resources_response import ConfigResource, ListConfigResourcesResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListConfigResourcesResponse,
    {
        ConfigResource: (
            Field("resource_name", "string"),
            Field("resource_type", "int8", since=1, ignorable=True),
        ),
        ListConfigResourcesResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("config_resources", "[]ConfigResource"),
        ),
    },
)
