# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.transaction_log_key import TransactionLogKey
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


def _decode_transaction_log_key_v0(data: bytes, pos: int) -> tuple[TransactionLogKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("transactional_id")
    end = pos + n
    transactional_id = data[pos:end].decode()
    pos = end
    return TransactionLogKey(transactional_id), pos


def _encode_transaction_log_key_v0(push: Push, this: TransactionLogKey) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent)
    push(_pack_h(n))
    push(transactional_id_sent)


DECODERS = {
    0: _decode_transaction_log_key_v0,
}
ENCODERS = {
    0: _encode_transaction_log_key_v0,
}
