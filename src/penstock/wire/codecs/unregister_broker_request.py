# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    UnregisterBrokerRequest,
    {
        UnregisterBrokerRequest: (Field("broker_id", "int32"),),
    },
)
