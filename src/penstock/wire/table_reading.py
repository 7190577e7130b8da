"""Functions that read a message by the table of its fields.

As in the generated ones, positions may run past the end of the data: the next read then fails, or the message ends past
the data. Only counts are checked at once, for they decide how much memory is taken.
"""

from collections.abc import Callable
from struct import Struct
from typing import Any

from penstock.wire.fields import FIXED, Field, Version
from penstock.wire.malformed import absurd_count, negative_length, null_refused, wrong_tag_size
from penstock.wire.primitives import (
    Buffer,
    long_string_length,
    long_varint,
    read_compact_strings,
    read_ints,
    read_strings,
    read_tag,
    read_uuids,
)

Read = Callable[[Any, int], tuple[Any, int]]
_Tagged = dict[int, tuple[str, Read]]

_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_MADE_OF: dict[str, Callable[[Any], Any]] = {
    "string": lambda piece: str(piece, "utf-8"),
    "bytes": bytes,
    "records": lambda piece: piece,  # left where they are: a view if the data is one
}


def struct_reader(struct: str, version: Version) -> tuple[Read, int]:
    """How to read a struct, and the fewest bytes that it takes."""
    made, fields = version.structs[struct]
    untagged: list[tuple[str, Read]] = []
    tagged: _Tagged = {}
    size_min = int(version.flexible)
    for field in fields:
        if field.is_in(version.number):
            read_field, field_size_min = _field_reader(field, version)
            if field.tag is None:
                untagged.append((field.name, read_field))
                size_min += field_size_min
            else:
                tagged[field.tag] = (field.name, read_field)
    is_flexible = version.flexible

    def read(data: Buffer, pos: int) -> tuple[Any, int]:
        values = {}
        for name, read_field in untagged:
            values[name], pos = read_field(data, pos)
        if is_flexible:
            tags = data[pos]
            pos += 1
            if tags:
                pos = _read_tags(data, pos, tags, tagged, values)
        return made(**values), pos

    return read, size_min


def _read_tags(data: Buffer, pos: int, count: int, tagged: _Tagged, values: dict[str, Any]) -> int:
    if count > 127:
        count, pos = long_varint(data, pos)
    for _ in range(count):
        tag, end, pos = read_tag(data, pos)
        if tag not in tagged:
            pos = end
            continue
        name, read_field = tagged[tag]
        values[name], pos = read_field(data, pos)
        if pos != end:
            raise wrong_tag_size(name)
    return pos


def _field_reader(field: Field, version: Version) -> tuple[Read, int]:
    """How to read a field, and the fewest bytes that it takes."""
    if field.type in FIXED:
        return _fixed_reader(field.type)
    if field.type in version.structs:
        read, size_min = struct_reader(field.type, version)
        if field.may_be_null(version.number):
            return _nullable_reader(read, null_until=0 if field.tag is None else 1), 1
        return read, size_min
    read_length, size_min = _length_reader(field.type, compact=version.flexible)
    read_value = _array_reader(field, version) if field.type.startswith("[]") else _piece_reader(field.type)
    return _counted_reader(field.name, read_length, read_value, nullable=field.may_be_null(version.number)), size_min


def _fixed_reader(kind: str) -> tuple[Read, int]:
    letter, size = FIXED[kind]
    unpack = Struct(f">{letter}").unpack_from

    def read(data: Buffer, pos: int) -> tuple[Any, int]:
        return unpack(data, pos)[0], pos + size

    return read, size


def _nullable_reader(read_struct: Read, *, null_until: int) -> Read:
    """A struct after a byte that says whether there is one: null is below 0, or where it is tagged 0 as well."""

    def read(data: Buffer, pos: int) -> tuple[Any, int]:
        mark = data[pos]
        pos += 1
        return (None, pos) if mark > 127 or mark < null_until else read_struct(data, pos)

    return read


def _length_reader(kind: str, *, compact: bool) -> tuple[Read, int]:
    """Of a string its bytes, of an array its elements; -1 is null."""
    if not compact:
        unpack, size = (_unpack_int16, 2) if kind == "string" else (_unpack_int32, 4)

        def read(data: Buffer, pos: int) -> tuple[int, int]:
            return unpack(data, pos)[0], pos + size

        return read, size
    read_long = long_string_length if kind == "string" else long_varint

    def read_compact(data: Buffer, pos: int) -> tuple[int, int]:
        n = data[pos]
        pos += 1
        if n > 127:
            n, pos = read_long(data, pos)
        return n - 1, pos

    return read_compact, 1


def _counted_reader(
    name: str, read_length: Read, read_value: Callable[[Any, int, int], tuple[Any, int]], *, nullable: bool
) -> Read:
    def read(data: Buffer, pos: int) -> tuple[Any, int]:
        n, pos = read_length(data, pos)
        if n >= 0:
            return read_value(data, pos, n)
        if not nullable:
            raise null_refused(name)
        if n != -1:
            raise negative_length(name, n)
        return None, pos

    return read


def _piece_reader(kind: str) -> Callable[[Any, int, int], tuple[Any, int]]:
    make = _MADE_OF[kind]

    def read(data: Buffer, pos: int, n: int) -> tuple[Any, int]:
        end = pos + n
        return make(data[pos:end]), end

    return read


def _array_reader(field: Field, version: Version) -> Callable[[Any, int, int], tuple[Any, int]]:
    kind = field.type.removeprefix("[]")
    if kind in version.structs:
        return _structs_reader(field.name, *struct_reader(kind, version))
    if kind == "string":
        return read_compact_strings if version.flexible else read_strings
    if kind == "uuid":
        return lambda data, pos, n: (read_uuids(data, pos, n), pos + 16 * n)
    letter, size = FIXED[kind]
    return lambda data, pos, n: (read_ints(letter, data, pos, n), pos + size * n)


def _structs_reader(name: str, read_struct: Read, size_min: int) -> Callable[[Any, int, int], tuple[Any, int]]:
    least = max(size_min, 1)

    def read(data: Buffer, pos: int, n: int) -> tuple[Any, int]:
        if n * least > len(data) - pos:
            raise absurd_count(name, n)
        items = []
        for _ in range(n):
            item, pos = read_struct(data, pos)
            items.append(item)
        return items, pos

    return read
