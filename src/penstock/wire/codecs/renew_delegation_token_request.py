# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    RenewDelegationTokenRequest,
    {
        RenewDelegationTokenRequest: (
            Field("hmac", "bytes"),
            Field("renew_period_ms", "int64"),
        ),
    },
)
