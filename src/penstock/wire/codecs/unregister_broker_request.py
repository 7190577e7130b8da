# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from penstock.wire.primitives import Push, skip_tags

_read_iB = Struct(">iB").unpack_from
_pack_ix = Struct(">ix").pack


def _decode_unregister_broker_request_v0(data: bytes, pos: int) -> tuple[UnregisterBrokerRequest, int]:
    broker_id, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return UnregisterBrokerRequest(broker_id), pos


def _encode_unregister_broker_request_v0(push: Push, this: UnregisterBrokerRequest) -> None:
    push(_pack_ix(this.broker_id))


DECODERS = {
    0: _decode_unregister_broker_request_v0,
}
ENCODERS = {
    0: _encode_unregister_broker_request_v0,
}
