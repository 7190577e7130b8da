"""kio's view of a message: its classes beside our layouts, its values in our terms."""

import datetime
import io
import uuid
from dataclasses import fields
from enum import IntEnum
from functools import cache
from typing import Any

from hypothesis import strategies as st
from kio.index import load_entity_schema
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from tests.support.wire_values import MESSAGES, layouts_of
from tools.wire.layout import Layout, Slot
from tools.wire.own_fields import OWN_NAMES

_EPOCH = datetime.datetime.fromtimestamp(0, tz=datetime.UTC)
_MILLISECOND = datetime.timedelta(milliseconds=1)

# kio reads some numbers as times and errors, and so takes fewer of them than the wire does.
_NARROWED: dict[str, st.SearchStrategy[Any]] = {
    "error_code": st.sampled_from([code.value for code in ErrorCode]),
    "timedelta_i64": st.integers(-(10**12), 10**12),
    "datetime_i64": st.integers(0, 4 * 10**12),
}


@cache
def _places() -> dict[str, list[tuple[str, int, Any]]]:
    """Where kio keeps each message: by our name, its name there, the version and the kind."""
    found: dict[str, list[tuple[str, int, Any]]] = {}
    for name, versions in schema_name_map.items():
        for version, kinds in versions.items():
            for kind, path in kinds.items():
                found.setdefault(path.rpartition(":")[2], []).append((name, version, kind))
    return found


def message_names() -> list[str]:
    return sorted(_places())


def versions_of(name: str) -> list[int]:
    return sorted(version for _, version, _ in _places()[name])


def class_of(name: str, version: int) -> Any:
    [place] = [place for place in _places()[name] if place[1] == version]
    return load_entity_schema(*place)


def parse(entity: Any, data: bytes) -> tuple[Any, int]:
    """kio's reading of a message, and how many bytes it took."""
    result: tuple[Any, int] = entity_reader(entity)(data, 0)
    return result


def serialise(value: Any) -> bytes:
    with io.BytesIO() as buffer:
        entity_writer(type(value))(buffer, value)
        return buffer.getvalue()


def narrowed(name: str) -> dict[tuple[str, str], st.SearchStrategy[Any]]:
    """Strategies for the fields of which kio takes fewer values than the wire."""
    found: dict[tuple[str, str], st.SearchStrategy[Any]] = {}
    for version in versions_of(name):
        _narrow(name, layouts_of(name)[version], class_of(name, version), found)
    return found


def _narrow(name: str, layout: Layout, entity: Any, found: dict[tuple[str, str], st.SearchStrategy[Any]]) -> None:
    for slot, theirs in _paired(name, layout, entity):
        strategy = _NARROWED.get(theirs.metadata.get("kafka_type", ""))
        if strategy is not None:
            found[layout.struct, slot.field.python_name] = strategy
        if slot.inner is not None:
            _narrow(name, slot.inner, _inner_class(theirs.type), found)
    for slot in layout.tagged:
        if slot.field.name in OWN_NAMES:  # which kio does not know
            found[layout.struct, slot.field.python_name] = _only_the_default(slot)


def _only_the_default(slot: Slot) -> st.SearchStrategy[Any]:
    if slot.field.is_array and slot.field.default is not None:
        return st.builds(list)
    return st.just(b"" if slot.field.type == "bytes" else slot.field.default)


def _inner_class(annotation: Any) -> Any:
    """X out of tuple[X, ...], X | None, and both at once."""
    while not hasattr(annotation, "__dataclass_fields__"):
        annotation = annotation.__args__[0]
    return annotation


def _paired(name: str, layout: Layout, entity: Any) -> list[tuple[Slot, Any]]:
    """Our fields beside theirs: both in the order of the schema."""
    message = MESSAGES[name]
    schema = message.fields if layout.struct == name else message.structs[layout.struct]
    slots = {slot.field.name: slot for slot in (*layout.slots, *layout.tagged)}
    present = [slots[field.name] for field in schema if field.name in slots and field.name not in OWN_NAMES]
    return list(zip(present, fields(entity), strict=True))


def in_our_terms(name: str, layout: Layout, theirs: Any) -> dict[str, Any]:
    """A value of kio's as plain fields of ours, structs as dictionaries."""
    told = {}
    for slot, field in _paired(name, layout, theirs):
        value = getattr(theirs, field.name)
        if slot.inner is None:
            told[slot.field.python_name] = _plain(value, slot)
        elif isinstance(value, tuple):
            told[slot.field.python_name] = [in_our_terms(name, slot.inner, each) for each in value]
        else:
            told[slot.field.python_name] = None if value is None else in_our_terms(name, slot.inner, value)
    return told


def ours_as_plain_fields(value: Any, layout: Layout) -> dict[str, Any]:
    """The same form for a value of ours."""
    told = {}
    for slot in (*layout.slots, *layout.tagged):
        if slot.field.name in OWN_NAMES:
            continue
        field = getattr(value, slot.field.python_name)
        inner = slot.inner
        if inner is None or field is None:
            told[slot.field.python_name] = field
        elif slot.field.is_array:
            told[slot.field.python_name] = [ours_as_plain_fields(each, inner) for each in field]
        else:
            told[slot.field.python_name] = ours_as_plain_fields(field, inner)
    return told


def _plain(value: Any, slot: Slot) -> Any:
    match value:
        case tuple() if slot.field.type == "uuid":
            return [bytes(16) if each is None else each.bytes for each in value]  # kio reads a zero id as none
        case tuple():
            return [_plain(each, slot) for each in value]
        case None if slot.field.type == "uuid" and not slot.field.is_array:
            return bytes(16)
        case None if slot.field.type == "int64":
            return -1  # a time that is not known
        case uuid.UUID():
            return value.bytes
        case datetime.datetime():
            return (value - _EPOCH) // _MILLISECOND
        case datetime.timedelta():
            return value // _MILLISECOND
        case IntEnum():
            return int(value)
        case ErrorCode():
            return value.value
    return value
