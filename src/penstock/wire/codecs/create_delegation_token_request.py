# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_delegation_token_request import CreatableRenewers, CreateDelegationTokenRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreateDelegationTokenRequest,
    {
        CreatableRenewers: (
            Field("principal_type", "string"),
            Field("principal_name", "string"),
        ),
        CreateDelegationTokenRequest: (
            Field("owner_principal_type", "string", since=3, null_since=3),
            Field("owner_principal_name", "string", since=3, null_since=3),
            Field("renewers", "[]CreatableRenewers"),
            Field("max_lifetime_ms", "int64"),
        ),
    },
)
