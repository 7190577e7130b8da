# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.default_principal_data import DefaultPrincipalData
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_tB = Struct(">?B").unpack_from
_pack_tx = Struct(">?x").pack


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


DECODERS = {
    0: _decode_default_principal_data_v0,
}
ENCODERS = {
    0: _encode_default_principal_data_v0,
}
