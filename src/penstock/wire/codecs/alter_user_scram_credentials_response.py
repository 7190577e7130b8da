# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_alter_user_scram_credentials_result_v0(
    data: bytes, pos: int
) -> tuple[AlterUserScramCredentialsResult, int]:
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
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterUserScramCredentialsResult(user, error_code, error_message), pos


def _decode_alter_user_scram_credentials_response_v0(
    data: bytes, pos: int
) -> tuple[AlterUserScramCredentialsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[AlterUserScramCredentialsResult] = []
    for _ in range(n):
        results_item, pos = _decode_alter_user_scram_credentials_result_v0(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterUserScramCredentialsResponse(throttle_time_ms, results), pos


def _encode_alter_user_scram_credentials_result_v0(push: Push, this: AlterUserScramCredentialsResult) -> None:
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
    push(b"\0")


def _encode_alter_user_scram_credentials_response_v0(push: Push, this: AlterUserScramCredentialsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_item in results:
        _encode_alter_user_scram_credentials_result_v0(push, results_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_user_scram_credentials_response_v0,
}
ENCODERS = {
    0: _encode_alter_user_scram_credentials_response_v0,
}
