# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.describe_delegation_token_request import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_describe_delegation_token_owner_v1(data: bytes, pos: int) -> tuple[DescribeDelegationTokenOwner, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("principal_type")
    end = pos + n
    principal_type = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("principal_name")
    end = pos + n
    principal_name = data[pos:end].decode()
    pos = end
    return DescribeDelegationTokenOwner(principal_type, principal_name), pos


def _decode_describe_delegation_token_request_v1(data: bytes, pos: int) -> tuple[DescribeDelegationTokenRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    owners: list[DescribeDelegationTokenOwner] | None = None
    if n >= 0:
        if n * 4 > len(data) - pos:
            raise absurd_count("owners", n)
        owners = []
        for _ in range(n):
            owners_item, pos = _decode_describe_delegation_token_owner_v1(data, pos)
            owners.append(owners_item)
    elif n != -1:
        raise negative_length("owners", n)
    return DescribeDelegationTokenRequest(owners), pos


def _decode_describe_delegation_token_owner_v2(data: bytes, pos: int) -> tuple[DescribeDelegationTokenOwner, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("principal_type")
    end = pos + n - 1
    principal_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("principal_name")
    end = pos + n - 1
    principal_name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeDelegationTokenOwner(principal_type, principal_name), pos


def _decode_describe_delegation_token_request_v2(data: bytes, pos: int) -> tuple[DescribeDelegationTokenRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    owners: list[DescribeDelegationTokenOwner] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("owners", n)
        owners = []
        for _ in range(n):
            owners_item, pos = _decode_describe_delegation_token_owner_v2(data, pos)
            owners.append(owners_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeDelegationTokenRequest(owners), pos


def _encode_describe_delegation_token_owner_v1(push: Push, this: DescribeDelegationTokenOwner) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent)
    push(_pack_h(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent)
    push(_pack_h(n))
    push(principal_name_sent)


def _encode_describe_delegation_token_request_v1(push: Push, this: DescribeDelegationTokenRequest) -> None:
    owners = this.owners
    n = -1 if owners is None else len(owners)
    push(_pack_i(n))
    if owners:
        for owners_item in owners:
            _encode_describe_delegation_token_owner_v1(push, owners_item)


def _encode_describe_delegation_token_owner_v2(push: Push, this: DescribeDelegationTokenOwner) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_name_sent)
    push(b"\0")


def _encode_describe_delegation_token_request_v2(push: Push, this: DescribeDelegationTokenRequest) -> None:
    owners = this.owners
    n = 0 if owners is None else len(owners) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if owners:
        for owners_item in owners:
            _encode_describe_delegation_token_owner_v2(push, owners_item)
    push(b"\0")


DECODERS = {
    1: _decode_describe_delegation_token_request_v1,
    2: _decode_describe_delegation_token_request_v2,
    3: _decode_describe_delegation_token_request_v2,
}
ENCODERS = {
    1: _encode_describe_delegation_token_request_v1,
    2: _encode_describe_delegation_token_request_v2,
    3: _encode_describe_delegation_token_request_v2,
}
