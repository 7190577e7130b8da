# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, null_unsayable
from penstock.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uhB = Struct(">16shB").unpack_from
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_uh = Struct(">16sh").pack
_pack_uhB = Struct(">16shB").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_deletable_topic_result_v1(data: bytes, pos: int) -> tuple[DeletableTopicResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (error_code,) = _read_h(data, pos)
    pos += 2
    return DeletableTopicResult(name, error_code=error_code), pos


def _decode_delete_topics_response_v1(data: bytes, pos: int) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("responses")
    if n * 4 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[DeletableTopicResult] = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v1(data, pos)
        responses.append(responses_item)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _decode_deletable_topic_result_v4(data: bytes, pos: int) -> tuple[DeletableTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeletableTopicResult(name, error_code=error_code), pos


def _decode_delete_topics_response_v4(data: bytes, pos: int) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[DeletableTopicResult] = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v4(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _decode_deletable_topic_result_v5(data: bytes, pos: int) -> tuple[DeletableTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
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
    return DeletableTopicResult(name, error_code=error_code, error_message=error_message), pos


def _decode_delete_topics_response_v5(data: bytes, pos: int) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[DeletableTopicResult] = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v5(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _decode_deletable_topic_result_v6(data: bytes, pos: int) -> tuple[DeletableTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    name: str | None = None
    if n:
        end = pos + n - 1
        name = data[pos:end].decode()
        pos = end
    topic_id, error_code, n = _read_uhB(data, pos)
    pos += 19
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
    return DeletableTopicResult(name, topic_id, error_code, error_message), pos


def _decode_delete_topics_response_v6(data: bytes, pos: int) -> tuple[DeleteTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 21 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[DeletableTopicResult] = []
    for _ in range(n):
        responses_item, pos = _decode_deletable_topic_result_v6(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteTopicsResponse(throttle_time_ms, responses), pos


def _encode_deletable_topic_result_v1(push: Push, this: DeletableTopicResult) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    push(_pack_h(this.error_code))


def _encode_delete_topics_response_v1(push: Push, this: DeleteTopicsResponse) -> None:
    responses = this.responses
    n = len(responses)
    push(_pack_ii(this.throttle_time_ms, n))
    for responses_item in responses:
        _encode_deletable_topic_result_v1(push, responses_item)


def _encode_deletable_topic_result_v4(push: Push, this: DeletableTopicResult) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_hx(this.error_code))


def _encode_delete_topics_response_v4(push: Push, this: DeleteTopicsResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for responses_item in responses:
        _encode_deletable_topic_result_v4(push, responses_item)
    push(b"\0")


def _encode_deletable_topic_result_v5(push: Push, this: DeletableTopicResult) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
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


def _encode_delete_topics_response_v5(push: Push, this: DeleteTopicsResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for responses_item in responses:
        _encode_deletable_topic_result_v5(push, responses_item)
    push(b"\0")


def _encode_deletable_topic_result_v6(push: Push, this: DeletableTopicResult) -> None:
    name = this.name
    if name is None:
        name_sent = b""
        n = 0
    else:
        name_sent = name.encode()
        n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_uhB(this.topic_id, this.error_code, n)
        if n < 128
        else _pack_uh(this.topic_id, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_delete_topics_response_v6(push: Push, this: DeleteTopicsResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for responses_item in responses:
        _encode_deletable_topic_result_v6(push, responses_item)
    push(b"\0")


DECODERS = {
    1: _decode_delete_topics_response_v1,
    2: _decode_delete_topics_response_v1,
    3: _decode_delete_topics_response_v1,
    4: _decode_delete_topics_response_v4,
    5: _decode_delete_topics_response_v5,
    6: _decode_delete_topics_response_v6,
}
ENCODERS = {
    1: _encode_delete_topics_response_v1,
    2: _encode_delete_topics_response_v1,
    3: _encode_delete_topics_response_v1,
    4: _encode_delete_topics_response_v4,
    5: _encode_delete_topics_response_v5,
    6: _encode_delete_topics_response_v6,
}
