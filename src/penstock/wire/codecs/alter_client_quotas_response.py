# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse, EntityData, EntryData
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterClientQuotasResponse,
    {
        EntryData: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("entity", "[]EntityData"),
        ),
        EntityData: (
            Field("entity_type", "string"),
            Field("entity_name", "string", null_since=0),
        ),
        AlterClientQuotasResponse: (
            Field("throttle_time_ms", "int32"),
            Field("entries", "[]EntryData"),
        ),
    },
)
