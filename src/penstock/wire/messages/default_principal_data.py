# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    decode_whole,
    encode_whole,
    long_string_length,
    skip_tags,
    string_length,
)

_read_tB = Struct(">?B").unpack_from
_pack_tx = Struct(">?x").pack


class DefaultPrincipalData(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    type: str = ""
    name: str = ""
    token_authenticated: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DefaultPrincipalData":
        return decode_whole(
            "DefaultPrincipalData", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DefaultPrincipalData", _ENCODERS, self, version)


def _decode_default_principal_data_v0(data: bytes, pos: int) -> tuple[DefaultPrincipalData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("type")
    end = pos + n - 1
    type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    token_authenticated, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return DefaultPrincipalData(type, name, token_authenticated), pos


def _encode_default_principal_data_v0(push: Push, this: DefaultPrincipalData) -> None:
    type_sent = this.type.encode()
    n = len(type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(type_sent)
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_tx(this.token_authenticated))


_DECODERS = {
    0: _decode_default_principal_data_v0,
}
_ENCODERS = {
    0: _encode_default_principal_data_v0,
}
