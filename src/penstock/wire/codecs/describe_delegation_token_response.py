# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.describe_delegation_token_response import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_qqqB = Struct(">qqqB").unpack_from
_read_qqqh = Struct(">qqqh").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_pack_qqq = Struct(">qqq").pack
_pack_qqqB = Struct(">qqqB").pack
_pack_qqqh = Struct(">qqqh").pack


def _decode_described_delegation_token_renewer_v1(data: bytes, pos: int) -> tuple[DescribedDelegationTokenRenewer, int]:
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
    return DescribedDelegationTokenRenewer(principal_type, principal_name), pos


def _decode_described_delegation_token_v1(data: bytes, pos: int) -> tuple[DescribedDelegationToken, int]:
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
    issue_timestamp, expiry_timestamp, max_timestamp, n = _read_qqqh(data, pos)
    pos += 26
    if n < 0:
        raise null_refused("token_id")
    end = pos + n
    token_id = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("hmac")
    end = pos + n
    hmac = data[pos:end]
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("renewers")
    if n * 4 > len(data) - pos:
        raise absurd_count("renewers", n)
    renewers: list[DescribedDelegationTokenRenewer] = []
    for _ in range(n):
        renewers_item, pos = _decode_described_delegation_token_renewer_v1(data, pos)
        renewers.append(renewers_item)
    return DescribedDelegationToken(
        principal_type,
        principal_name,
        issue_timestamp=issue_timestamp,
        expiry_timestamp=expiry_timestamp,
        max_timestamp=max_timestamp,
        token_id=token_id,
        hmac=hmac,
        renewers=renewers,
    ), pos


def _decode_describe_delegation_token_response_v1(data: bytes, pos: int) -> tuple[DescribeDelegationTokenResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("tokens")
    if n * 38 > len(data) - pos:
        raise absurd_count("tokens", n)
    tokens: list[DescribedDelegationToken] = []
    for _ in range(n):
        tokens_item, pos = _decode_described_delegation_token_v1(data, pos)
        tokens.append(tokens_item)
    (throttle_time_ms,) = _read_i(data, pos)
    pos += 4
    return DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms), pos


def _decode_described_delegation_token_renewer_v2(data: bytes, pos: int) -> tuple[DescribedDelegationTokenRenewer, int]:
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
    return DescribedDelegationTokenRenewer(principal_type, principal_name), pos


def _decode_described_delegation_token_v2(data: bytes, pos: int) -> tuple[DescribedDelegationToken, int]:
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
    issue_timestamp, expiry_timestamp, max_timestamp, n = _read_qqqB(data, pos)
    pos += 25
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("token_id")
    end = pos + n - 1
    token_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("hmac")
    end = pos + n - 1
    hmac = data[pos:end]
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
    renewers: list[DescribedDelegationTokenRenewer] = []
    for _ in range(n):
        renewers_item, pos = _decode_described_delegation_token_renewer_v2(data, pos)
        renewers.append(renewers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedDelegationToken(
        principal_type,
        principal_name,
        issue_timestamp=issue_timestamp,
        expiry_timestamp=expiry_timestamp,
        max_timestamp=max_timestamp,
        token_id=token_id,
        hmac=hmac,
        renewers=renewers,
    ), pos


def _decode_describe_delegation_token_response_v2(data: bytes, pos: int) -> tuple[DescribeDelegationTokenResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("tokens")
    n -= 1
    if n * 30 > len(data) - pos:
        raise absurd_count("tokens", n)
    tokens: list[DescribedDelegationToken] = []
    for _ in range(n):
        tokens_item, pos = _decode_described_delegation_token_v2(data, pos)
        tokens.append(tokens_item)
    throttle_time_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms), pos


def _decode_described_delegation_token_v3(data: bytes, pos: int) -> tuple[DescribedDelegationToken, int]:
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
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("token_requester_principal_type")
    end = pos + n - 1
    token_requester_principal_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("token_requester_principal_name")
    end = pos + n - 1
    token_requester_principal_name = data[pos:end].decode()
    pos = end
    issue_timestamp, expiry_timestamp, max_timestamp, n = _read_qqqB(data, pos)
    pos += 25
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("token_id")
    end = pos + n - 1
    token_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("hmac")
    end = pos + n - 1
    hmac = data[pos:end]
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
    renewers: list[DescribedDelegationTokenRenewer] = []
    for _ in range(n):
        renewers_item, pos = _decode_described_delegation_token_renewer_v2(data, pos)
        renewers.append(renewers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedDelegationToken(
        principal_type,
        principal_name,
        token_requester_principal_type,
        token_requester_principal_name,
        issue_timestamp,
        expiry_timestamp,
        max_timestamp,
        token_id,
        hmac,
        renewers,
    ), pos


def _decode_describe_delegation_token_response_v3(data: bytes, pos: int) -> tuple[DescribeDelegationTokenResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("tokens")
    n -= 1
    if n * 32 > len(data) - pos:
        raise absurd_count("tokens", n)
    tokens: list[DescribedDelegationToken] = []
    for _ in range(n):
        tokens_item, pos = _decode_described_delegation_token_v3(data, pos)
        tokens.append(tokens_item)
    throttle_time_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms), pos


def _encode_described_delegation_token_renewer_v1(push: Push, this: DescribedDelegationTokenRenewer) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent)
    push(_pack_h(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent)
    push(_pack_h(n))
    push(principal_name_sent)


def _encode_described_delegation_token_v1(push: Push, this: DescribedDelegationToken) -> None:
    if this.token_requester_principal_type != "":
        raise field_refused("token_requester_principal_type")
    if this.token_requester_principal_name != "":
        raise field_refused("token_requester_principal_name")
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent)
    push(_pack_h(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent)
    push(_pack_h(n))
    push(principal_name_sent)
    token_id_sent = this.token_id.encode()
    n = len(token_id_sent)
    push(_pack_qqqh(this.issue_timestamp, this.expiry_timestamp, this.max_timestamp, n))
    push(token_id_sent)
    hmac_sent = this.hmac
    n = len(hmac_sent)
    push(_pack_i(n))
    push(hmac_sent)
    renewers = this.renewers
    n = len(renewers)
    push(_pack_i(n))
    for renewers_item in renewers:
        _encode_described_delegation_token_renewer_v1(push, renewers_item)


def _encode_describe_delegation_token_response_v1(push: Push, this: DescribeDelegationTokenResponse) -> None:
    tokens = this.tokens
    n = len(tokens)
    push(_pack_hi(this.error_code, n))
    for tokens_item in tokens:
        _encode_described_delegation_token_v1(push, tokens_item)
    push(_pack_i(this.throttle_time_ms))


def _encode_described_delegation_token_renewer_v2(push: Push, this: DescribedDelegationTokenRenewer) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_name_sent)
    push(b"\0")


def _encode_described_delegation_token_v2(push: Push, this: DescribedDelegationToken) -> None:
    if this.token_requester_principal_type != "":
        raise field_refused("token_requester_principal_type")
    if this.token_requester_principal_name != "":
        raise field_refused("token_requester_principal_name")
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_name_sent)
    token_id_sent = this.token_id.encode()
    n = len(token_id_sent) + 1
    push(
        _pack_qqqB(this.issue_timestamp, this.expiry_timestamp, this.max_timestamp, n)
        if n < 128
        else _pack_qqq(this.issue_timestamp, this.expiry_timestamp, this.max_timestamp) + string_length(n)
    )
    push(token_id_sent)
    hmac_sent = this.hmac
    n = len(hmac_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(hmac_sent)
    renewers = this.renewers
    n = len(renewers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for renewers_item in renewers:
        _encode_described_delegation_token_renewer_v2(push, renewers_item)
    push(b"\0")


def _encode_describe_delegation_token_response_v2(push: Push, this: DescribeDelegationTokenResponse) -> None:
    tokens = this.tokens
    n = len(tokens) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + uvarint(n))
    for tokens_item in tokens:
        _encode_described_delegation_token_v2(push, tokens_item)
    push(_pack_ix(this.throttle_time_ms))


def _encode_described_delegation_token_v3(push: Push, this: DescribedDelegationToken) -> None:
    principal_type_sent = this.principal_type.encode()
    n = len(principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_type_sent)
    principal_name_sent = this.principal_name.encode()
    n = len(principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_name_sent)
    token_requester_principal_type_sent = this.token_requester_principal_type.encode()
    n = len(token_requester_principal_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(token_requester_principal_type_sent)
    token_requester_principal_name_sent = this.token_requester_principal_name.encode()
    n = len(token_requester_principal_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(token_requester_principal_name_sent)
    token_id_sent = this.token_id.encode()
    n = len(token_id_sent) + 1
    push(
        _pack_qqqB(this.issue_timestamp, this.expiry_timestamp, this.max_timestamp, n)
        if n < 128
        else _pack_qqq(this.issue_timestamp, this.expiry_timestamp, this.max_timestamp) + string_length(n)
    )
    push(token_id_sent)
    hmac_sent = this.hmac
    n = len(hmac_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(hmac_sent)
    renewers = this.renewers
    n = len(renewers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for renewers_item in renewers:
        _encode_described_delegation_token_renewer_v2(push, renewers_item)
    push(b"\0")


def _encode_describe_delegation_token_response_v3(push: Push, this: DescribeDelegationTokenResponse) -> None:
    tokens = this.tokens
    n = len(tokens) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + uvarint(n))
    for tokens_item in tokens:
        _encode_described_delegation_token_v3(push, tokens_item)
    push(_pack_ix(this.throttle_time_ms))


DECODERS = {
    1: _decode_describe_delegation_token_response_v1,
    2: _decode_describe_delegation_token_response_v2,
    3: _decode_describe_delegation_token_response_v3,
}
ENCODERS = {
    1: _encode_describe_delegation_token_response_v1,
    2: _encode_describe_delegation_token_response_v2,
    3: _encode_describe_delegation_token_response_v3,
}
