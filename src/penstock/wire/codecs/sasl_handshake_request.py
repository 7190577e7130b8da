# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    SaslHandshakeRequest,
    {
        SaslHandshakeRequest: (Field("mechanism", "string"),),
    },
)
