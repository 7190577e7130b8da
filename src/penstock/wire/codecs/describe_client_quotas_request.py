# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeClientQuotasRequest,
    {
        ComponentData: (
            Field("entity_type", "string"),
            Field("match_type", "int8"),
            Field("match", "string", null_since=0),
        ),
        DescribeClientQuotasRequest: (
            Field("components", "[]ComponentData"),
            Field("strict", "bool"),
        ),
    },
)
