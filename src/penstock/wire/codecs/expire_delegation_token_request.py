# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ExpireDelegationTokenRequest,
    {
        ExpireDelegationTokenRequest: (
            Field("hmac", "bytes"),
            Field("expiry_time_period_ms", "int64"),
        ),
    },
)
