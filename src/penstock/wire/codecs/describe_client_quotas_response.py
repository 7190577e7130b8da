# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.describe_client_quotas_response import (
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_d = Struct(">d").unpack_from
_read_dB = Struct(">dB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from
_pack_d = Struct(">d").pack
_pack_dx = Struct(">dx").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack


def _decode_entity_data_v0(data: bytes, pos: int) -> tuple[EntityData, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("entity_type")
    end = pos + n
    entity_type = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    entity_name: str | None = None
    if n >= 0:
        end = pos + n
        entity_name = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("entity_name", n)
    return EntityData(entity_type, entity_name), pos


def _decode_value_data_v0(data: bytes, pos: int) -> tuple[ValueData, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("key")
    end = pos + n
    key = data[pos:end].decode()
    pos = end
    (value,) = _read_d(data, pos)
    pos += 8
    return ValueData(key, value), pos


def _decode_entry_data_v0(data: bytes, pos: int) -> tuple[EntryData, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("entity")
    if n * 4 > len(data) - pos:
        raise absurd_count("entity", n)
    entity: list[EntityData] = []
    for _ in range(n):
        entity_item, pos = _decode_entity_data_v0(data, pos)
        entity.append(entity_item)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("values")
    if n * 10 > len(data) - pos:
        raise absurd_count("values", n)
    values: list[ValueData] = []
    for _ in range(n):
        values_item, pos = _decode_value_data_v0(data, pos)
        values.append(values_item)
    return EntryData(entity, values), pos


def _decode_describe_client_quotas_response_v0(data: bytes, pos: int) -> tuple[DescribeClientQuotasResponse, int]:
    throttle_time_ms, error_code, n = _read_ihh(data, pos)
    pos += 8
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    (n,) = _read_i(data, pos)
    pos += 4
    entries: list[EntryData] | None = None
    if n >= 0:
        if n * 8 > len(data) - pos:
            raise absurd_count("entries", n)
        entries = []
        for _ in range(n):
            entries_item, pos = _decode_entry_data_v0(data, pos)
            entries.append(entries_item)
    elif n != -1:
        raise negative_length("entries", n)
    return DescribeClientQuotasResponse(throttle_time_ms, error_code, error_message, entries), pos


def _decode_entity_data_v1(data: bytes, pos: int) -> tuple[EntityData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("entity_type")
    end = pos + n - 1
    entity_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    entity_name: str | None = None
    if n:
        end = pos + n - 1
        entity_name = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return EntityData(entity_type, entity_name), pos


def _decode_value_data_v1(data: bytes, pos: int) -> tuple[ValueData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("key")
    end = pos + n - 1
    key = data[pos:end].decode()
    pos = end
    value, tags = _read_dB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return ValueData(key, value), pos


def _decode_entry_data_v1(data: bytes, pos: int) -> tuple[EntryData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("entity")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("entity", n)
    entity: list[EntityData] = []
    for _ in range(n):
        entity_item, pos = _decode_entity_data_v1(data, pos)
        entity.append(entity_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("values")
    n -= 1
    if n * 10 > len(data) - pos:
        raise absurd_count("values", n)
    values: list[ValueData] = []
    for _ in range(n):
        values_item, pos = _decode_value_data_v1(data, pos)
        values.append(values_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return EntryData(entity, values), pos


def _decode_describe_client_quotas_response_v1(data: bytes, pos: int) -> tuple[DescribeClientQuotasResponse, int]:
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
    entries: list[EntryData] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("entries", n)
        entries = []
        for _ in range(n):
            entries_item, pos = _decode_entry_data_v1(data, pos)
            entries.append(entries_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClientQuotasResponse(throttle_time_ms, error_code, error_message, entries), pos


def _encode_entity_data_v0(push: Push, this: EntityData) -> None:
    entity_type_sent = this.entity_type.encode()
    n = len(entity_type_sent)
    push(_pack_h(n))
    push(entity_type_sent)
    entity_name = this.entity_name
    if entity_name is None:
        entity_name_sent = b""
        n = -1
    else:
        entity_name_sent = entity_name.encode()
        n = len(entity_name_sent)
    push(_pack_h(n))
    push(entity_name_sent)


def _encode_value_data_v0(push: Push, this: ValueData) -> None:
    key_sent = this.key.encode()
    n = len(key_sent)
    push(_pack_h(n))
    push(key_sent)
    push(_pack_d(this.value))


def _encode_entry_data_v0(push: Push, this: EntryData) -> None:
    entity = this.entity
    n = len(entity)
    push(_pack_i(n))
    for entity_item in entity:
        _encode_entity_data_v0(push, entity_item)
    values = this.values
    n = len(values)
    push(_pack_i(n))
    for values_item in values:
        _encode_value_data_v0(push, values_item)


def _encode_describe_client_quotas_response_v0(push: Push, this: DescribeClientQuotasResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_ihh(this.throttle_time_ms, this.error_code, n))
    push(error_message_sent)
    entries = this.entries
    n = -1 if entries is None else len(entries)
    push(_pack_i(n))
    if entries:
        for entries_item in entries:
            _encode_entry_data_v0(push, entries_item)


def _encode_entity_data_v1(push: Push, this: EntityData) -> None:
    entity_type_sent = this.entity_type.encode()
    n = len(entity_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(entity_type_sent)
    entity_name = this.entity_name
    if entity_name is None:
        entity_name_sent = b""
        n = 0
    else:
        entity_name_sent = entity_name.encode()
        n = len(entity_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(entity_name_sent)
    push(b"\0")


def _encode_value_data_v1(push: Push, this: ValueData) -> None:
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    push(_pack_dx(this.value))


def _encode_entry_data_v1(push: Push, this: EntryData) -> None:
    entity = this.entity
    n = len(entity) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for entity_item in entity:
        _encode_entity_data_v1(push, entity_item)
    values = this.values
    n = len(values) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for values_item in values:
        _encode_value_data_v1(push, values_item)
    push(b"\0")


def _encode_describe_client_quotas_response_v1(push: Push, this: DescribeClientQuotasResponse) -> None:
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
    entries = this.entries
    n = 0 if entries is None else len(entries) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if entries:
        for entries_item in entries:
            _encode_entry_data_v1(push, entries_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_client_quotas_response_v0,
    1: _decode_describe_client_quotas_response_v1,
}
ENCODERS = {
    0: _encode_describe_client_quotas_response_v0,
    1: _encode_describe_client_quotas_response_v1,
}
