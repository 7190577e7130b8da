# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse, EntityData, EntryData
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


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


def _decode_entry_data_v0(data: bytes, pos: int) -> tuple[EntryData, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
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
    return EntryData(error_code, error_message, entity), pos


def _decode_alter_client_quotas_response_v0(data: bytes, pos: int) -> tuple[AlterClientQuotasResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("entries")
    if n * 8 > len(data) - pos:
        raise absurd_count("entries", n)
    entries: list[EntryData] = []
    for _ in range(n):
        entries_item, pos = _decode_entry_data_v0(data, pos)
        entries.append(entries_item)
    return AlterClientQuotasResponse(throttle_time_ms, entries), pos


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


def _decode_entry_data_v1(data: bytes, pos: int) -> tuple[EntryData, int]:
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
        raise null_refused("entity")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("entity", n)
    entity: list[EntityData] = []
    for _ in range(n):
        entity_item, pos = _decode_entity_data_v1(data, pos)
        entity.append(entity_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return EntryData(error_code, error_message, entity), pos


def _decode_alter_client_quotas_response_v1(data: bytes, pos: int) -> tuple[AlterClientQuotasResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("entries")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("entries", n)
    entries: list[EntryData] = []
    for _ in range(n):
        entries_item, pos = _decode_entry_data_v1(data, pos)
        entries.append(entries_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterClientQuotasResponse(throttle_time_ms, entries), pos


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


def _encode_entry_data_v0(push: Push, this: EntryData) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    entity = this.entity
    n = len(entity)
    push(_pack_i(n))
    for entity_item in entity:
        _encode_entity_data_v0(push, entity_item)


def _encode_alter_client_quotas_response_v0(push: Push, this: AlterClientQuotasResponse) -> None:
    entries = this.entries
    n = len(entries)
    push(_pack_ii(this.throttle_time_ms, n))
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


def _encode_entry_data_v1(push: Push, this: EntryData) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    entity = this.entity
    n = len(entity) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for entity_item in entity:
        _encode_entity_data_v1(push, entity_item)
    push(b"\0")


def _encode_alter_client_quotas_response_v1(push: Push, this: AlterClientQuotasResponse) -> None:
    entries = this.entries
    n = len(entries) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for entries_item in entries:
        _encode_entry_data_v1(push, entries_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_client_quotas_response_v0,
    1: _decode_alter_client_quotas_response_v1,
}
ENCODERS = {
    0: _encode_alter_client_quotas_response_v0,
    1: _encode_alter_client_quotas_response_v1,
}
