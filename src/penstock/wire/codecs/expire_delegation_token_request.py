# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from penstock.wire.primitives import BYTE, Push, long_varint, skip_tags, uvarint

_read_i = Struct(">i").unpack_from
_read_q = Struct(">q").unpack_from
_read_qB = Struct(">qB").unpack_from
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qx = Struct(">qx").pack


def _decode_expire_delegation_token_request_v1(data: bytes, pos: int) -> tuple[ExpireDelegationTokenRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("hmac")
    end = pos + n
    hmac = data[pos:end]
    pos = end
    (expiry_time_period_ms,) = _read_q(data, pos)
    pos += 8
    return ExpireDelegationTokenRequest(hmac, expiry_time_period_ms), pos


def _decode_expire_delegation_token_request_v2(data: bytes, pos: int) -> tuple[ExpireDelegationTokenRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("hmac")
    end = pos + n - 1
    hmac = data[pos:end]
    pos = end
    expiry_time_period_ms, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return ExpireDelegationTokenRequest(hmac, expiry_time_period_ms), pos


def _encode_expire_delegation_token_request_v1(push: Push, this: ExpireDelegationTokenRequest) -> None:
    hmac_sent = this.hmac
    n = len(hmac_sent)
    push(_pack_i(n))
    push(hmac_sent)
    push(_pack_q(this.expiry_time_period_ms))


def _encode_expire_delegation_token_request_v2(push: Push, this: ExpireDelegationTokenRequest) -> None:
    hmac_sent = this.hmac
    n = len(hmac_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(hmac_sent)
    push(_pack_qx(this.expiry_time_period_ms))


DECODERS = {
    1: _decode_expire_delegation_token_request_v1,
    2: _decode_expire_delegation_token_request_v2,
}
ENCODERS = {
    1: _encode_expire_delegation_token_request_v1,
    2: _encode_expire_delegation_token_request_v2,
}
