# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused, wrong_tag_size
from penstock.wire.messages.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    long_string_length,
    long_varint,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

_read_uhB = Struct(">16shB").unpack_from
_read_tbtB = Struct(">?b?B").unpack_from
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_uh = Struct(">16sh").pack
_pack_uhB = Struct(">16shB").pack
_pack_tbtx = Struct(">?b?x").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ii = Struct(">ii").pack


def _decode_creatable_topic_result_v2(data: bytes, pos: int) -> tuple[CreatableTopicResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    return CreatableTopicResult(name, error_code=error_code, error_message=error_message), pos


def _decode_create_topics_response_v2(data: bytes, pos: int) -> tuple[CreateTopicsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatableTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_result_v2(data, pos)
        topics.append(topics_item)
    return CreateTopicsResponse(throttle_time_ms, topics), pos


def _decode_creatable_topic_configs_v5(data: bytes, pos: int) -> tuple[CreatableTopicConfigs, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    value: str | None = None
    if n:
        end = pos + n - 1
        value = data[pos:end].decode()
        pos = end
    read_only, config_source, is_sensitive, tags = _read_tbtB(data, pos)
    pos += 4
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatableTopicConfigs(name, value, read_only, config_source, is_sensitive), pos


def _decode_creatable_topic_result_v5(data: bytes, pos: int) -> tuple[CreatableTopicResult, int]:
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
    num_partitions, replication_factor, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    configs: list[CreatableTopicConfigs] | None = None
    if n:
        n -= 1
        if n * 6 > len(data) - pos:
            raise absurd_count("configs", n)
        configs = []
        for _ in range(n):
            configs_item, pos = _decode_creatable_topic_configs_v5(data, pos)
            configs.append(configs_item)
    tags = data[pos]
    pos += 1
    item = CreatableTopicResult(
        name,
        error_code=error_code,
        error_message=error_message,
        num_partitions=num_partitions,
        replication_factor=replication_factor,
        configs=configs,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (topic_config_error_code,) = _read_h(data, pos)
                pos += 2
                item.topic_config_error_code = topic_config_error_code
                if pos != tag_end:
                    raise wrong_tag_size("topic_config_error_code")
            else:
                pos = tag_end
    return item, pos


def _decode_create_topics_response_v5(data: bytes, pos: int) -> tuple[CreateTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 12 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatableTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_result_v5(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreateTopicsResponse(throttle_time_ms, topics), pos


def _decode_creatable_topic_result_v7(data: bytes, pos: int) -> tuple[CreatableTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
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
    num_partitions, replication_factor, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    configs: list[CreatableTopicConfigs] | None = None
    if n:
        n -= 1
        if n * 6 > len(data) - pos:
            raise absurd_count("configs", n)
        configs = []
        for _ in range(n):
            configs_item, pos = _decode_creatable_topic_configs_v5(data, pos)
            configs.append(configs_item)
    tags = data[pos]
    pos += 1
    item = CreatableTopicResult(
        name,
        topic_id,
        error_code,
        error_message,
        num_partitions=num_partitions,
        replication_factor=replication_factor,
        configs=configs,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (topic_config_error_code,) = _read_h(data, pos)
                pos += 2
                item.topic_config_error_code = topic_config_error_code
                if pos != tag_end:
                    raise wrong_tag_size("topic_config_error_code")
            else:
                pos = tag_end
    return item, pos


def _decode_create_topics_response_v7(data: bytes, pos: int) -> tuple[CreateTopicsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 28 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatableTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_result_v7(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreateTopicsResponse(throttle_time_ms, topics), pos


def _encode_creatable_topic_result_v2(push: Push, this: CreatableTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)


def _encode_create_topics_response_v2(push: Push, this: CreateTopicsResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_creatable_topic_result_v2(push, topics_item)


def _encode_creatable_topic_configs_v5(push: Push, this: CreatableTopicConfigs) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = 0
    else:
        value_sent = value.encode()
        n = len(value_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(value_sent)
    push(_pack_tbtx(this.read_only, this.config_source, this.is_sensitive))


def _encode_creatable_topic_result_v5(push: Push, this: CreatableTopicResult) -> None:
    name_sent = this.name.encode()
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
    configs = this.configs
    n = 0 if configs is None else len(configs) + 1
    push(
        _pack_ihB(this.num_partitions, this.replication_factor, n)
        if n < 128
        else _pack_ih(this.num_partitions, this.replication_factor) + uvarint(n)
    )
    if configs:
        for configs_item in configs:
            _encode_creatable_topic_configs_v5(push, configs_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.topic_config_error_code != 0:
        part = []
        part.append(_pack_h(this.topic_config_error_code))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_create_topics_response_v5(push: Push, this: CreateTopicsResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_creatable_topic_result_v5(push, topics_item)
    push(b"\0")


def _encode_creatable_topic_result_v7(push: Push, this: CreatableTopicResult) -> None:
    name_sent = this.name.encode()
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
    configs = this.configs
    n = 0 if configs is None else len(configs) + 1
    push(
        _pack_ihB(this.num_partitions, this.replication_factor, n)
        if n < 128
        else _pack_ih(this.num_partitions, this.replication_factor) + uvarint(n)
    )
    if configs:
        for configs_item in configs:
            _encode_creatable_topic_configs_v5(push, configs_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.topic_config_error_code != 0:
        part = []
        part.append(_pack_h(this.topic_config_error_code))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_create_topics_response_v7(push: Push, this: CreateTopicsResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_creatable_topic_result_v7(push, topics_item)
    push(b"\0")


DECODERS = {
    2: _decode_create_topics_response_v2,
    3: _decode_create_topics_response_v2,
    4: _decode_create_topics_response_v2,
    5: _decode_create_topics_response_v5,
    6: _decode_create_topics_response_v5,
    7: _decode_create_topics_response_v7,
}
ENCODERS = {
    2: _encode_create_topics_response_v2,
    3: _encode_create_topics_response_v2,
    4: _encode_create_topics_response_v2,
    5: _encode_create_topics_response_v5,
    6: _encode_create_topics_response_v5,
    7: _encode_create_topics_response_v7,
}
