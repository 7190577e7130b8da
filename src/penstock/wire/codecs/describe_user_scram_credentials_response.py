# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_biB = Struct(">biB").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_bix = Struct(">bix").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_credential_info_v0(data: bytes, pos: int) -> tuple[CredentialInfo, int]:
    mechanism, iterations, tags = _read_biB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return CredentialInfo(mechanism, iterations), pos


def _decode_describe_user_scram_credentials_result_v0(
    data: bytes, pos: int
) -> tuple[DescribeUserScramCredentialsResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("user")
    end = pos + n - 1
    user = data[pos:end].decode()
    pos = end
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("credential_infos")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("credential_infos", n)
    credential_infos: list[CredentialInfo] = []
    for _ in range(n):
        credential_infos_item, pos = _decode_credential_info_v0(data, pos)
        credential_infos.append(credential_infos_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeUserScramCredentialsResult(user, error_code, error_message, credential_infos), pos


def _decode_describe_user_scram_credentials_response_v0(
    data: bytes, pos: int
) -> tuple[DescribeUserScramCredentialsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeUserScramCredentialsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_user_scram_credentials_result_v0(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeUserScramCredentialsResponse(throttle_time_ms, error_code, error_message, results), pos


def _encode_credential_info_v0(push: Push, this: CredentialInfo) -> None:
    push(_pack_bix(this.mechanism, this.iterations))


def _encode_describe_user_scram_credentials_result_v0(push: Push, this: DescribeUserScramCredentialsResult) -> None:
    user_sent = this.user.encode()
    n = len(user_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(user_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    credential_infos = this.credential_infos
    n = len(credential_infos) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for credential_infos_item in credential_infos:
        _encode_credential_info_v0(push, credential_infos_item)
    push(b"\0")


def _encode_describe_user_scram_credentials_response_v0(push: Push, this: DescribeUserScramCredentialsResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    results = this.results
    n = len(results) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for results_item in results:
        _encode_describe_user_scram_credentials_result_v0(push, results_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_user_scram_credentials_response_v0,
}
ENCODERS = {
    0: _encode_describe_user_scram_credentials_response_v0,
}
