"""What a table says of a message's fields; see penstock.wire.tables."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

LAST: Final = 32767
"""Versions are int16 on the wire: a range without an end has this one."""

# Letters of the struct module, and bytes.
FIXED: Final = {
    "bool": ("?", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "uint16": ("H", 2),
    "int32": ("i", 4),
    "uint32": ("I", 4),
    "int64": ("q", 8),
    "float64": ("d", 8),
    "uuid": ("16s", 16),
}


class Field(NamedTuple):
    name: str
    type: str
    """A primitive or the name of a struct; of an array that of its elements, after []."""
    since: int = 0
    until: int = LAST
    null_since: int = LAST + 1
    null_until: int = LAST
    tag: int | None = None
    ignorable: bool = False
    """Dropped in silence where a version lacks it; any other must hold its default there."""

    def is_in(self, version: int) -> bool:
        return self.since <= version <= self.until

    def may_be_null(self, version: int) -> bool:
        return self.null_since <= version <= self.null_until


class Version(NamedTuple):
    """One version of a message: what its functions are made from."""

    structs: Mapping[str, tuple[type[Any], tuple[Field, ...]]]
    number: int
    flexible: bool
    """Lengths are compact, and structs end in tagged fields."""
