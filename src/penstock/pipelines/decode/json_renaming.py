"""Fields of JSON texts renamed to the spelling that the columns have: nothing else in the text changes by a sign."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import types as t

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_NULL = re.compile(r"\s*:\s*null\b")

Names = Mapping[str, tuple[str, "Names | None"]]
"""By name in lower case: the column's name, and the names within it. Those within a list or a map are under EACH."""
EACH = "*"


def names_of(kind: t.DataType) -> Names | None:
    match kind:
        case t.StructType():
            return {each.name.lower(): (each.name, names_of(each.dataType)) for each in kind.fields}
        case t.ArrayType():
            return {EACH: ("", names_of(kind.elementType))}
        case t.MapType():
            return {EACH: ("", names_of(kind.valueType))}
    return None


@dataclass(slots=True)
class _Open:
    """An object or a list that the scan is in."""

    names: Names | None
    is_list: bool
    within: Names | None = None
    """The names within the value that comes next."""
    taken: dict[str, bool] = field(default_factory=dict)
    """The columns that have a value already, and whether that was renamed."""


def respelled(text: str, columns: Names) -> str | None:
    """The text with the columns' spelling; None if it has no other. ValueError where two fields would become one. What
    comes of a text that is no JSON object is none either."""
    made: list[str] = []
    done = 0
    inside: list[_Open] = []
    before = ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            names = columns if not inside else inside[-1].within
            inside.append(_Open(names, sign == "["))
            if sign == "[" and names is not None and EACH in names:
                inside[-1].within = names[EACH][1]
        elif sign in "}]":
            if inside:
                inside.pop()
        elif sign[0] == '"' and before in "{," and inside and not inside[-1].is_list:
            name = _key(inside[-1], sign, is_null=_NULL.match(text, token.end()) is not None)
            if name is not None:
                made += [text[done : token.start()], json.dumps(name, ensure_ascii=False)]
                done = token.end()
        before = sign
    return "".join([*made, text[done:]]) if made else None


def renamed(value: Any, columns: Names | None) -> Any:
    """The same for values that are parsed already."""
    if columns is None or value is None:
        return value
    if isinstance(value, list):
        within = columns[EACH][1] if EACH in columns else None
        return [renamed(each, within) for each in value]
    if not isinstance(value, dict):
        return value
    if EACH in columns and columns[EACH][0] == "":
        return {name: renamed(each, columns[EACH][1]) for name, each in value.items()}
    made: dict[str, Any] = {}
    for name, each in value.items():
        column, within = columns.get(name.lower(), (name, None))
        if made.get(column) is not None and each is not None:
            raise ValueError(f"{column} is there in two spellings")
        if made.get(column) is None:
            made[column] = renamed(each, within)
    return made


def _key(where: _Open, sign: str, *, is_null: bool) -> str | None:
    """The name to write for a key, if it is another."""
    name = str(json.loads(sign, strict=False))
    where.within = None
    if where.names is None:
        return None
    if EACH in where.names and where.names[EACH][0] == "":
        where.within = where.names[EACH][1]
        return None
    found = where.names.get(name.lower())
    if found is None:
        return None
    column, where.within = found
    if is_null:
        return None  # nothing to read, and nothing in the way of the column's own
    other = column != name
    if column in where.taken and (other or where.taken[column]):
        raise ValueError(f"{column} is there in two spellings")
    where.taken[column] = other
    return column if other else None
