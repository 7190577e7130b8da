"""Values for any message, made from the facts of its schema: random ones, and what of them one version can say."""

import importlib
from functools import cache
from typing import Any

from hypothesis import strategies as st
from tools.wire.facts import Field, Message, load
from tools.wire.layout import Layout, Layouts, Slot
from tools.wire.own_fields import OWN_NAMES

MESSAGES: dict[str, Message] = {message.name: message for message in load() if not message.only_the_api}

_RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_LONG_TEXT = "é" * 70  # 140 bytes: its compact length takes two


def module_of(name: str) -> Any:
    return importlib.import_module(f"penstock.wire.messages.{MESSAGES[name].module}")


def class_of(name: str) -> Any:
    return getattr(module_of(name), name)


@cache
def layouts_of(name: str) -> dict[int, Layout]:
    return Layouts(MESSAGES[name], writing=False).by_version


def full_values(name: str, narrowed: dict[tuple[str, str], st.SearchStrategy[Any]] | None = None) -> Any:
    """A strategy of messages with the fields of every version set; narrowed: strategies of single (struct, field)s."""
    return _structs(MESSAGES[name], name, narrowed or {})


def _structs(message: Message, name: str, narrowed: dict[tuple[str, str], st.SearchStrategy[Any]]) -> Any:
    made = getattr(module_of(message.name), name)
    fields = message.fields if name == message.name else message.structs[name]
    return st.builds(
        made,
        **{field.python_name: _values(message, name, field, narrowed) for field in fields},
    )


def _values(message: Message, owner: str, field: Field, narrowed: dict[tuple[str, str], st.SearchStrategy[Any]]) -> Any:
    values: st.SearchStrategy[Any]
    if field.name in OWN_NAMES and (owner, field.python_name) in narrowed:
        return narrowed[owner, field.python_name]  # the whole field, an array or not
    match field.type:
        case _ if (owner, field.python_name) in narrowed:
            values = narrowed[owner, field.python_name]
        case "bool":
            values = st.booleans()
        case "float64":
            values = st.floats(allow_nan=False, allow_infinity=False)
        case "uuid":
            values = st.binary(min_size=16, max_size=16)
        case "string":
            values = st.text(max_size=4) | st.just(_LONG_TEXT)
        case "bytes" | "records":
            values = st.binary(max_size=5) | st.just(bytes(300))
        case number if number in _RANGES:
            values = st.integers(*_RANGES[number])
        case struct:
            values = _structs(message, struct, narrowed)
    if field.is_array:
        # Above 16 elements an array of int32 takes another path, above 126 its count takes two bytes.
        few = st.lists(values, max_size=2)
        values = few if field.is_struct else few | st.lists(values, min_size=17, max_size=19) | st.just([])
    return st.none() | values if field.nullable else values


def said_at(value: Any, layout: Layout) -> Any:
    """The part of a value that one version can say: other fields at their default, None only where it may be."""
    told = {slot.field.python_name: _said(value, slot) for slot in (*layout.slots, *layout.tagged)}
    return type(value)(**told)


def _said(value: Any, slot: Slot) -> Any:
    field = getattr(value, slot.field.python_name)
    if field is None:
        if slot.nullable:
            return None
        return [] if slot.field.is_array else "" if slot.field.type == "string" else b""
    if slot.inner is None:
        return field
    if slot.field.is_array:
        return [said_at(each, slot.inner) for each in field]
    return said_at(field, slot.inner)
