# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_tbtB = Struct(">?b?B").unpack_from
_read_tbti = Struct(">?b?i").unpack_from
_read_b = Struct(">b").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_tbt = Struct(">?b?").pack
_pack_tbtB = Struct(">?b?B").pack
_pack_tbti = Struct(">?b?i").pack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_describe_configs_synonym_v1(data: bytes, pos: int) -> tuple[DescribeConfigsSynonym, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    value: str | None = None
    if n >= 0:
        end = pos + n
        value = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("value", n)
    (source,) = _read_b(data, pos)
    pos += 1
    return DescribeConfigsSynonym(name, value, source), pos


def _decode_describe_configs_resource_result_v1(data: bytes, pos: int) -> tuple[DescribeConfigsResourceResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    value: str | None = None
    if n >= 0:
        end = pos + n
        value = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("value", n)
    read_only, config_source, is_sensitive, n = _read_tbti(data, pos)
    pos += 7
    if n < 0:
        raise null_refused("synonyms")
    if n * 5 > len(data) - pos:
        raise absurd_count("synonyms", n)
    synonyms: list[DescribeConfigsSynonym] = []
    for _ in range(n):
        synonyms_item, pos = _decode_describe_configs_synonym_v1(data, pos)
        synonyms.append(synonyms_item)
    return DescribeConfigsResourceResult(name, value, read_only, config_source, is_sensitive, synonyms), pos


def _decode_describe_configs_result_v1(data: bytes, pos: int) -> tuple[DescribeConfigsResult, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("configs")
    if n * 11 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[DescribeConfigsResourceResult] = []
    for _ in range(n):
        configs_item, pos = _decode_describe_configs_resource_result_v1(data, pos)
        configs.append(configs_item)
    return DescribeConfigsResult(error_code, error_message, resource_type, resource_name, configs), pos


def _decode_describe_configs_response_v1(data: bytes, pos: int) -> tuple[DescribeConfigsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results")
    if n * 11 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeConfigsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_configs_result_v1(data, pos)
        results.append(results_item)
    return DescribeConfigsResponse(throttle_time_ms, results), pos


def _decode_describe_configs_resource_result_v3(data: bytes, pos: int) -> tuple[DescribeConfigsResourceResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    value: str | None = None
    if n >= 0:
        end = pos + n
        value = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("value", n)
    read_only, config_source, is_sensitive, n = _read_tbti(data, pos)
    pos += 7
    if n < 0:
        raise null_refused("synonyms")
    if n * 5 > len(data) - pos:
        raise absurd_count("synonyms", n)
    synonyms: list[DescribeConfigsSynonym] = []
    for _ in range(n):
        synonyms_item, pos = _decode_describe_configs_synonym_v1(data, pos)
        synonyms.append(synonyms_item)
    config_type, n = _read_bh(data, pos)
    pos += 3
    documentation: str | None = None
    if n >= 0:
        end = pos + n
        documentation = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("documentation", n)
    return DescribeConfigsResourceResult(
        name, value, read_only, config_source, is_sensitive, synonyms, config_type, documentation
    ), pos


def _decode_describe_configs_result_v3(data: bytes, pos: int) -> tuple[DescribeConfigsResult, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("configs")
    if n * 14 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[DescribeConfigsResourceResult] = []
    for _ in range(n):
        configs_item, pos = _decode_describe_configs_resource_result_v3(data, pos)
        configs.append(configs_item)
    return DescribeConfigsResult(error_code, error_message, resource_type, resource_name, configs), pos


def _decode_describe_configs_response_v3(data: bytes, pos: int) -> tuple[DescribeConfigsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results")
    if n * 11 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeConfigsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_configs_result_v3(data, pos)
        results.append(results_item)
    return DescribeConfigsResponse(throttle_time_ms, results), pos


def _decode_describe_configs_synonym_v4(data: bytes, pos: int) -> tuple[DescribeConfigsSynonym, int]:
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
    source, tags = _read_bB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeConfigsSynonym(name, value, source), pos


def _decode_describe_configs_resource_result_v4(data: bytes, pos: int) -> tuple[DescribeConfigsResourceResult, int]:
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
    read_only, config_source, is_sensitive, n = _read_tbtB(data, pos)
    pos += 4
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("synonyms")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("synonyms", n)
    synonyms: list[DescribeConfigsSynonym] = []
    for _ in range(n):
        synonyms_item, pos = _decode_describe_configs_synonym_v4(data, pos)
        synonyms.append(synonyms_item)
    config_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    documentation: str | None = None
    if n:
        end = pos + n - 1
        documentation = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeConfigsResourceResult(
        name, value, read_only, config_source, is_sensitive, synonyms, config_type, documentation
    ), pos


def _decode_describe_configs_result_v4(data: bytes, pos: int) -> tuple[DescribeConfigsResult, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    resource_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("resource_name")
    end = pos + n - 1
    resource_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("configs")
    n -= 1
    if n * 9 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[DescribeConfigsResourceResult] = []
    for _ in range(n):
        configs_item, pos = _decode_describe_configs_resource_result_v4(data, pos)
        configs.append(configs_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeConfigsResult(error_code, error_message, resource_type, resource_name, configs), pos


def _decode_describe_configs_response_v4(data: bytes, pos: int) -> tuple[DescribeConfigsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeConfigsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_configs_result_v4(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeConfigsResponse(throttle_time_ms, results), pos


def _encode_describe_configs_synonym_v1(push: Push, this: DescribeConfigsSynonym) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = -1
    else:
        value_sent = value.encode()
        n = len(value_sent)
    push(_pack_h(n))
    push(value_sent)
    push(_pack_b(this.source))


def _encode_describe_configs_resource_result_v1(push: Push, this: DescribeConfigsResourceResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = -1
    else:
        value_sent = value.encode()
        n = len(value_sent)
    push(_pack_h(n))
    push(value_sent)
    synonyms = this.synonyms
    n = len(synonyms)
    push(_pack_tbti(this.read_only, this.config_source, this.is_sensitive, n))
    for synonyms_item in synonyms:
        _encode_describe_configs_synonym_v1(push, synonyms_item)


def _encode_describe_configs_result_v1(push: Push, this: DescribeConfigsResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    configs = this.configs
    n = len(configs)
    push(_pack_i(n))
    for configs_item in configs:
        _encode_describe_configs_resource_result_v1(push, configs_item)


def _encode_describe_configs_response_v1(push: Push, this: DescribeConfigsResponse) -> None:
    results = this.results
    n = len(results)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_item in results:
        _encode_describe_configs_result_v1(push, results_item)


def _encode_describe_configs_resource_result_v3(push: Push, this: DescribeConfigsResourceResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = -1
    else:
        value_sent = value.encode()
        n = len(value_sent)
    push(_pack_h(n))
    push(value_sent)
    synonyms = this.synonyms
    n = len(synonyms)
    push(_pack_tbti(this.read_only, this.config_source, this.is_sensitive, n))
    for synonyms_item in synonyms:
        _encode_describe_configs_synonym_v1(push, synonyms_item)
    documentation = this.documentation
    if documentation is None:
        documentation_sent = b""
        n = -1
    else:
        documentation_sent = documentation.encode()
        n = len(documentation_sent)
    push(_pack_bh(this.config_type, n))
    push(documentation_sent)


def _encode_describe_configs_result_v3(push: Push, this: DescribeConfigsResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    configs = this.configs
    n = len(configs)
    push(_pack_i(n))
    for configs_item in configs:
        _encode_describe_configs_resource_result_v3(push, configs_item)


def _encode_describe_configs_response_v3(push: Push, this: DescribeConfigsResponse) -> None:
    results = this.results
    n = len(results)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_item in results:
        _encode_describe_configs_result_v3(push, results_item)


def _encode_describe_configs_synonym_v4(push: Push, this: DescribeConfigsSynonym) -> None:
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
    push(_pack_bx(this.source))


def _encode_describe_configs_resource_result_v4(push: Push, this: DescribeConfigsResourceResult) -> None:
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
    synonyms = this.synonyms
    n = len(synonyms) + 1
    push(
        _pack_tbtB(this.read_only, this.config_source, this.is_sensitive, n)
        if n < 128
        else _pack_tbt(this.read_only, this.config_source, this.is_sensitive) + uvarint(n)
    )
    for synonyms_item in synonyms:
        _encode_describe_configs_synonym_v4(push, synonyms_item)
    documentation = this.documentation
    if documentation is None:
        documentation_sent = b""
        n = 0
    else:
        documentation_sent = documentation.encode()
        n = len(documentation_sent) + 1
    push(_pack_bB(this.config_type, n) if n < 128 else _pack_b(this.config_type) + string_length(n))
    push(documentation_sent)
    push(b"\0")


def _encode_describe_configs_result_v4(push: Push, this: DescribeConfigsResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    configs = this.configs
    n = len(configs) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for configs_item in configs:
        _encode_describe_configs_resource_result_v4(push, configs_item)
    push(b"\0")


def _encode_describe_configs_response_v4(push: Push, this: DescribeConfigsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_item in results:
        _encode_describe_configs_result_v4(push, results_item)
    push(b"\0")


DECODERS = {
    1: _decode_describe_configs_response_v1,
    2: _decode_describe_configs_response_v1,
    3: _decode_describe_configs_response_v3,
    4: _decode_describe_configs_response_v4,
}
ENCODERS = {
    1: _encode_describe_configs_response_v1,
    2: _encode_describe_configs_response_v1,
    3: _encode_describe_configs_response_v3,
    4: _encode_describe_configs_response_v4,
}
