# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class AllocateProducerIdsRequest(Message, gc=False):
    api_key = 67
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("allocate_producer_ids_request")
    broker_id: int = 0
    broker_epoch: int = -1
