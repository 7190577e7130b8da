# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.create_delegation_token_request import CreatableRenewers, CreateDelegationTokenRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_q = Struct(">q").unpack_from
_read_qB = Struct(">qB").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qx = Struct(">qx").pack


def _decode_creatable_renewers_v1(data: bytes, pos: int) -> tuple[CreatableRenewers, int]:
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
    return CreatableRenewers(principal_type, principal_name), pos


def _decode_create_delegation_token_request_v1(data: bytes, pos: int) -> tuple[CreateDelegationTokenRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("renewers")
    if n * 4 > len(data) - pos:
        raise absurd_count("renewers", n)
    renewers: list[CreatableRenewers] = []
    for _ in range(n):
        renewers_item, pos = _decode_creatable_renewers_v1(data, pos)
        renewers.append(renewers_item)
    (max_lifetime_ms,) = _read_q(data, pos)
    pos += 8
    return CreateDelegationTokenRequest(renewers=renewers, max_lifetime_ms=max_lifetime_ms), pos


def _decode_creatable_renewers_v2(data: bytes, pos: int) -> tuple[CreatableRenewers, int]:
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
    return CreatableRenewers(principal_type, principal_name), pos


def _decode_create_delegation_token_request_v2(data: bytes, pos: int) -> tuple[CreateDelegationTokenRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("renewers")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("renewers", n)
    renewers: list[CreatableRenewers] = []
    for _ in range(n):
        renewers_item, pos = _decode_creatable_renewers_v2(data, pos)
        renewers.append(renewers_item)
    max_lifetime_ms, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreateDelegationTokenRequest(renewers=renewers, max_lifetime_ms=max_lifetime_ms), pos


def _decode_create_delegation_token_request_v3(data: bytes, pos: int) -> tuple[CreateDelegationTokenRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    owner_principal_type: str | None = None
    if n:
        end = pos + n - 1
        owner_principal_type = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    owner_principal_name: str | None = None
    if n:
        end = pos + n - 1
        owner_principal_name = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("renewers")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("renewers", n)
    renewers: list[CreatableRenewers] = []
    for _ in range(n):
        renewers_item, pos = _decode_creatable_renewers_v2(data, pos)
        renewers.append(renewers_item)
    max_lifetime_ms, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreateDelegationTokenRequest(owner_principal_type, owner_principal_name, renewers, max_lifetime_ms), pos


def _encode_creatable_renewers_v1(push: Push, this: CreatableRenewers) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent)
    push(_pack_h(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent)
    push(_pack_h(n))
    push(principal_name_sent)


def _encode_create_delegation_token_request_v1(push: Push, this: CreateDelegationTokenRequest) -> None:
    if this.owner_principal_type != "":
        raise field_refused("owner_principal_type")
    if this.owner_principal_name != "":
        raise field_refused("owner_principal_name")
    renewers = this.renewers
    n = len(renewers)
    push(_pack_i(n))
    for renewers_item in renewers:
        _encode_creatable_renewers_v1(push, renewers_item)
    push(_pack_q(this.max_lifetime_ms))


def _encode_creatable_renewers_v2(push: Push, this: CreatableRenewers) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_name_sent)
    push(b"\0")


def _encode_create_delegation_token_request_v2(push: Push, this: CreateDelegationTokenRequest) -> None:
    if this.owner_principal_type != "":
        raise field_refused("owner_principal_type")
    if this.owner_principal_name != "":
        raise field_refused("owner_principal_name")
    renewers = this.renewers
    n = len(renewers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for renewers_item in renewers:
        _encode_creatable_renewers_v2(push, renewers_item)
    push(_pack_qx(this.max_lifetime_ms))


def _encode_create_delegation_token_request_v3(push: Push, this: CreateDelegationTokenRequest) -> None:
    owner_principal_type = this.owner_principal_type
    if owner_principal_type is None:
        owner_principal_type_sent = b""
        n = 0
    else:
        owner_principal_type_sent = owner_principal_type.encode()
        n = len(owner_principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(owner_principal_type_sent)
    owner_principal_name = this.owner_principal_name
    if owner_principal_name is None:
        owner_principal_name_sent = b""
        n = 0
    else:
        owner_principal_name_sent = owner_principal_name.encode()
        n = len(owner_principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(owner_principal_name_sent)
    renewers = this.renewers
    n = len(renewers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for renewers_item in renewers:
        _encode_creatable_renewers_v2(push, renewers_item)
    push(_pack_qx(this.max_lifetime_ms))


DECODERS = {
    1: _decode_create_delegation_token_request_v1,
    2: _decode_create_delegation_token_request_v2,
    3: _decode_create_delegation_token_request_v3,
}
ENCODERS = {
    1: _encode_create_delegation_token_request_v1,
    2: _encode_create_delegation_token_request_v2,
    3: _encode_create_delegation_token_request_v3,
}
