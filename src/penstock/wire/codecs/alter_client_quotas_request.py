# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest, EntityData, EntryData, OpData
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterClientQuotasRequest,
    {
        EntryData: (
            Field("entity", "[]EntityData"),
            Field("ops", "[]OpData"),
        ),
        EntityData: (
            Field("entity_type", "string"),
            Field("entity_name", "string", null_since=0),
        ),
        OpData: (
            Field("key", "string"),
            Field("value", "float64"),
            Field("remove", "bool"),
        ),
        AlterClientQuotasRequest: (
            Field("entries", "[]EntryData"),
            Field("validate_only", "bool"),
        ),
    },
)
