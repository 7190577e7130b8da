# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest, EntityData, EntryData, OpData
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_t = Struct(">?").unpack_from
_read_tB = Struct(">?B").unpack_from
_read_dt = Struct(">d?").unpack_from
_read_dtB = Struct(">d?B").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_pack_dt = Struct(">d?").pack
_pack_dtx = Struct(">d?x").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


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


def _decode_op_data_v0(data: bytes, pos: int) -> tuple[OpData, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("key")
    end = pos + n
    key = data[pos:end].decode()
    pos = end
    value, remove = _read_dt(data, pos)
    pos += 9
    return OpData(key, value, remove), pos


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
        raise null_refused("ops")
    if n * 11 > len(data) - pos:
        raise absurd_count("ops", n)
    ops: list[OpData] = []
    for _ in range(n):
        ops_item, pos = _decode_op_data_v0(data, pos)
        ops.append(ops_item)
    return EntryData(entity, ops), pos


def _decode_alter_client_quotas_request_v0(data: bytes, pos: int) -> tuple[AlterClientQuotasRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("entries")
    if n * 8 > len(data) - pos:
        raise absurd_count("entries", n)
    entries: list[EntryData] = []
    for _ in range(n):
        entries_item, pos = _decode_entry_data_v0(data, pos)
        entries.append(entries_item)
    (validate_only,) = _read_t(data, pos)
    pos += 1
    return AlterClientQuotasRequest(entries, validate_only), pos


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


def _decode_op_data_v1(data: bytes, pos: int) -> tuple[OpData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("key")
    end = pos + n - 1
    key = data[pos:end].decode()
    pos = end
    value, remove, tags = _read_dtB(data, pos)
    pos += 10
    if tags:
        pos = skip_tags(data, pos, tags)
    return OpData(key, value, remove), pos


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
        raise null_refused("ops")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("ops", n)
    ops: list[OpData] = []
    for _ in range(n):
        ops_item, pos = _decode_op_data_v1(data, pos)
        ops.append(ops_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return EntryData(entity, ops), pos


def _decode_alter_client_quotas_request_v1(data: bytes, pos: int) -> tuple[AlterClientQuotasRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("entries")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("entries", n)
    entries: list[EntryData] = []
    for _ in range(n):
        entries_item, pos = _decode_entry_data_v1(data, pos)
        entries.append(entries_item)
    validate_only, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterClientQuotasRequest(entries, validate_only), pos


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


def _encode_op_data_v0(push: Push, this: OpData) -> None:
    key_sent = this.key.encode()
    n = len(key_sent)
    push(_pack_h(n))
    push(key_sent)
    push(_pack_dt(this.value, this.remove))


def _encode_entry_data_v0(push: Push, this: EntryData) -> None:
    entity = this.entity
    n = len(entity)
    push(_pack_i(n))
    for entity_item in entity:
        _encode_entity_data_v0(push, entity_item)
    ops = this.ops
    n = len(ops)
    push(_pack_i(n))
    for ops_item in ops:
        _encode_op_data_v0(push, ops_item)


def _encode_alter_client_quotas_request_v0(push: Push, this: AlterClientQuotasRequest) -> None:
    entries = this.entries
    n = len(entries)
    push(_pack_i(n))
    for entries_item in entries:
        _encode_entry_data_v0(push, entries_item)
    push(_pack_t(this.validate_only))


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


def _encode_op_data_v1(push: Push, this: OpData) -> None:
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    push(_pack_dtx(this.value, this.remove))


def _encode_entry_data_v1(push: Push, this: EntryData) -> None:
    entity = this.entity
    n = len(entity) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for entity_item in entity:
        _encode_entity_data_v1(push, entity_item)
    ops = this.ops
    n = len(ops) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for ops_item in ops:
        _encode_op_data_v1(push, ops_item)
    push(b"\0")


def _encode_alter_client_quotas_request_v1(push: Push, this: AlterClientQuotasRequest) -> None:
    entries = this.entries
    n = len(entries) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for entries_item in entries:
        _encode_entry_data_v1(push, entries_item)
    push(_pack_tx(this.validate_only))


DECODERS = {
    0: _decode_alter_client_quotas_request_v0,
    1: _decode_alter_client_quotas_request_v1,
}
ENCODERS = {
    0: _encode_alter_client_quotas_request_v0,
    1: _encode_alter_client_quotas_request_v1,
}
