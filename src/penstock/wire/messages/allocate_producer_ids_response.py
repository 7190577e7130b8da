# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class AllocateProducerIdsResponse(Message, gc=False):
    api_key = 67
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("allocate_producer_ids_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id_start: int = 0
    producer_id_len: int = 0
