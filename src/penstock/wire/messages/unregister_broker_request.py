# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class UnregisterBrokerRequest(Message, gc=False):
    api_key = 64
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("unregister_broker_request")
    broker_id: int = 0
