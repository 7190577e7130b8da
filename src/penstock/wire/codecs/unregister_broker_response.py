# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.unregister_broker_response import UnregisterBrokerResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    UnregisterBrokerResponse,
    {
        UnregisterBrokerResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
    },
)
