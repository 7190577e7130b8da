"""How often each field of JSON values has which kind of value, under which name: the commonest is counted, not guessed.

Plain Python over parsed values, so that it runs in Spark's tasks and in tests alike. A schema that one stray record
could turn over would divert all the others: so the commonest spelling and the commonest kind win, and the rest do not
fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import types as t

EXACT = 2**53
"""Whole numbers up to this are the same as DOUBLE."""
LONG = 2**63
HUGE = 10**38
"""What DECIMAL(38, 0) has no room for."""

_KINDS: dict[type, str] = {str: "text", bool: "boolean", float: "fraction", dict: "object", list: "array"}
_FAMILIES = {
    # In the order that decides where two are as common: texts hold anything.
    "text": ("text",),
    "number": ("small", "long", "huge", "fraction"),
    "boolean": ("boolean",),
    "object": ("object",),
    "array": ("array",),
}


class FieldCounts:
    """One place in the documents: how many values of each kind were there, and the places within it. Null is none."""

    __slots__ = ("element", "fields", "kinds")

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self.fields: dict[str, FieldCounts] = {}
        self.element: FieldCounts | None = None

    def add(self, value: Any) -> None:
        if value is None:
            return
        kind = _KINDS.get(type(value)) or _size(value)
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == "object":
            for name, each in value.items():
                found = self.fields.get(name)
                if found is None:
                    found = self.fields[name] = FieldCounts()
                found.add(each)
        elif kind == "array":
            if self.element is None:
                self.element = FieldCounts()
            for each in value:
                self.element.add(each)

    def merge(self, other: FieldCounts) -> None:
        for kind, count in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        for name, each in other.fields.items():
            self.fields.setdefault(name, FieldCounts()).merge(each)
        if other.element is not None:
            self.element = self.element or FieldCounts()
            self.element.merge(other.element)

    def to_json(self) -> list[Any]:
        inner = {name: each.to_json() for name, each in self.fields.items()}
        return [self.kinds, inner, None if self.element is None else self.element.to_json()]

    @staticmethod
    def from_json(kept: list[Any]) -> FieldCounts:
        made = FieldCounts()
        made.kinds = kept[0]
        made.fields = {name: FieldCounts.from_json(each) for name, each in kept[1].items()}
        made.element = None if kept[2] is None else FieldCounts.from_json(kept[2])
        return made

    @property
    def values(self) -> int:
        return sum(self.kinds.values())

    def columns(self) -> t.StructType:
        """The fields of the objects that were counted. All spellings of a name are there, the commonest first, and have
        one type: the commonest. A field that only ever was null or empty is not."""
        spelled: dict[str, list[str]] = {}
        for name in sorted(self.fields):
            spelled.setdefault(name.lower(), []).append(name)
        found = []
        for names in spelled.values():
            kind = _together(self.fields[name] for name in names).type()
            if kind is not None:
                names.sort(key=lambda name: (-self.fields[name].values, name))
                found += [t.StructField(name, kind) for name in names if self.fields[name].values]
        return t.StructType(found)

    def type(self) -> t.DataType | None:
        sums = {family: sum(self.kinds.get(kind, 0) for kind in kinds) for family, kinds in _FAMILIES.items()}
        family = max(sums, key=lambda each: sums[each])
        if not sums[family]:
            return None
        match family:
            case "text":
                return t.StringType()
            case "boolean":
                return t.BooleanType()
            case "number":
                return self._number()
            case "object":
                columns = self.columns()
                return columns if columns.fields else None
        element = None if self.element is None else self.element.type()
        return None if element is None else t.ArrayType(element)

    def _number(self) -> t.DataType:
        """DOUBLE as soon as there is one with a fraction, but not where it would alter larger whole numbers, of ids
        say: there the commoner of the two."""
        small, long, huge, fraction = (self.kinds.get(kind, 0) for kind in _FAMILIES["number"])
        if fraction and fraction >= long + huge:
            return t.DoubleType()
        return t.DecimalType(38, 0) if huge > small + long else t.LongType()


def _size(number: int) -> str:
    if -EXACT <= number <= EXACT:
        return "small"
    if -LONG <= number < LONG:
        return "long"
    return "huge" if -HUGE < number < HUGE else "fraction"


def _together(several: Iterable[FieldCounts]) -> FieldCounts:
    found = list(several)
    if len(found) == 1:
        return found[0]
    merged = FieldCounts()
    for each in found:
        merged.merge(each)
    return merged
