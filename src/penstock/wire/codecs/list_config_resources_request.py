# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListConfigResourcesRequest,
    {
        ListConfigResourcesRequest: (Field("resource_types", "[]int8", since=1),),
    },
)
