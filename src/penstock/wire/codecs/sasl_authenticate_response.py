# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    SaslAuthenticateResponse,
    {
        SaslAuthenticateResponse: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("auth_bytes", "bytes"),
            Field("session_lifetime_ms", "int64", since=1, ignorable=True),
        ),
    },
)
