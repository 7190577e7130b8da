# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_client_quotas_response import (
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeClientQuotasResponse,
    {
        EntryData: (
            Field("entity", "[]EntityData"),
            Field("values", "[]ValueData"),
        ),
        EntityData: (
            Field("entity_type", "string"),
            Field("entity_name", "string", null_since=0),
        ),
        ValueData: (
            Field("key", "string"),
            Field("value", "float64"),
        ),
        DescribeClientQuotasResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("entries", "[]EntryData", null_since=0),
        ),
    },
)
