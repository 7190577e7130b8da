# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


class TransactionLogKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 0
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    transactional_id: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "TransactionLogKey":
        return decode_whole(
            "TransactionLogKey", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("TransactionLogKey", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_transaction_log_key_v0,
}
_ENCODERS = {
    0: _encode_transaction_log_key_v0,
}
