"""Functions that write a message by the table of its fields: pieces pushed onto a list that is joined at the end."""

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

from penstock.wire.fields import FIXED, Field, Version
from penstock.wire.malformed import field_refused, null_unsayable
from penstock.wire.primitives import (
    BYTE,
    NULL_COUNT,
    Buffer,
    Push,
    compact_ints,
    compact_strings,
    compact_uuids,
    plain_ints,
    plain_strings,
    plain_uuids,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

Write = Callable[[Push, Any], None]

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_NO_STRING = b"\xff\xff"


def struct_writer(struct: str, version: Version) -> Write:
    made, fields = version.structs[struct]
    present = [field for field in fields if field.is_in(version.number)]
    defaults = made()
    refused = [
        (field.name, getattr(defaults, field.name)) for field in fields if field not in present and not field.ignorable
    ]
    untagged = [(field.name, _field_writer(field, version)) for field in present if field.tag is None]
    tagged = [
        (field.tag, field.name, getattr(defaults, field.name), _field_writer(field, version))
        for field in present
        if field.tag is not None
    ]
    tagged.sort(key=lambda each: each[0])
    is_flexible = version.flexible

    def write(push: Push, this: Any) -> None:
        for name, default in refused:
            if _differs(getattr(this, name), default):
                raise field_refused(name)
        for name, write_field in untagged:
            write_field(push, getattr(this, name))
        if is_flexible:
            sections = []
            for tag, name, default, write_field in tagged:
                value = getattr(this, name)
                if _differs(value, default):
                    pieces: list[Buffer] = []
                    write_field(pieces.append, value)
                    sections.append(tagged_field(tag, pieces))
            push(tag_section(sections))

    return write


def _differs(value: Any, default: Any) -> bool:
    """Whether a field says something that its absence would not; any empty sequence is an empty list."""
    return len(value) > 0 if isinstance(default, list) and value is not None else value != default


def _field_writer(field: Field, version: Version) -> Write:
    if field.type in FIXED:
        pack = Struct(f">{FIXED[field.type][0]}").pack
        return lambda push, value: push(pack(value))
    if field.type in version.structs:
        write = struct_writer(field.type, version)
        if not field.may_be_null(version.number):
            return write
        return _nullable_writer(write, BYTE[255 if field.tag is None else 0])
    write = _array_writer(field.type, version) if field.type.startswith("[]") else _piece_writer(field.type, version)
    if field.may_be_null(version.number):
        return _or_null(write, BYTE[0] if version.flexible else _NO_STRING if field.type == "string" else NULL_COUNT)
    return _never_null(write, field.name)


def _nullable_writer(write_struct: Write, null: bytes) -> Write:
    def write(push: Push, value: Any) -> None:
        if value is None:
            push(null)
        else:
            push(BYTE[1])
            write_struct(push, value)

    return write


def _or_null(write_value: Write, null: bytes) -> Write:
    return lambda push, value: push(null) if value is None else write_value(push, value)


def _never_null(write_value: Write, name: str) -> Write:
    def write(push: Push, value: Any) -> None:
        if value is None:
            raise null_unsayable(name)
        write_value(push, value)

    return write


def _piece_writer(kind: str, version: Version) -> Write:
    """A string, bytes or records: the length, then the thing itself."""
    length = _string_length(version) if kind == "string" else _count(version)

    def write(push: Push, value: Any) -> None:
        sent = value.encode() if kind == "string" else value
        push(length(len(sent)))
        push(sent)

    return write


def _string_length(version: Version) -> Callable[[int], bytes]:
    return (lambda n: string_length(n + 1)) if version.flexible else _pack_int16


def _count(version: Version) -> Callable[[int], bytes]:
    return (lambda n: uvarint(n + 1)) if version.flexible else _pack_int32


def _array_writer(kind: str, version: Version) -> Write:
    element = kind.removeprefix("[]")
    if element in version.structs:
        return _structs_writer(struct_writer(element, version), _count(version))
    whole: Callable[[Sequence[Any]], bytes]
    if element == "string":
        whole = compact_strings if version.flexible else plain_strings
    elif element == "uuid":
        whole = compact_uuids if version.flexible else plain_uuids
    else:
        letter, write_ints = FIXED[element][0], compact_ints if version.flexible else plain_ints
        return lambda push, values: push(write_ints(letter, values))
    return lambda push, values: push(whole(values))


def _structs_writer(write_struct: Write, count: Callable[[int], bytes]) -> Write:
    def write(push: Push, values: Any) -> None:
        push(count(len(values)))
        for value in values:
            write_struct(push, value)

    return write
