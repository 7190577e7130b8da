# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    SaslAuthenticateRequest,
    {
        SaslAuthenticateRequest: (Field("auth_bytes", "bytes"),),
    },
)
