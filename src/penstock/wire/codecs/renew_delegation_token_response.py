# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    RenewDelegationTokenResponse,
    {
        RenewDelegationTokenResponse: (
            Field("error_code", "int16"),
            Field("expiry_timestamp_ms", "int64"),
            Field("throttle_time_ms", "int32"),
        ),
    },
)
