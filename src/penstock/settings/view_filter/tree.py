"""What a filter is, once it has been read."""

from typing import Final

import msgspec

Literal = str | int | float


class Header(msgspec.Struct, frozen=True):
    name: str


class Key(msgspec.Struct, frozen=True):
    pass


class Size(msgspec.Struct, frozen=True):
    """Bytes of a record's key and value."""


class Timestamp(msgspec.Struct, frozen=True):
    """In milliseconds, as the topic keeps it."""


class Value(msgspec.Struct, frozen=True):
    """Of which only may be asked whether there is one."""


Operand = Header | Key | Size | Timestamp


class Compare(msgspec.Struct, frozen=True):
    operand: Operand
    sign: str
    literal: Literal


class In(msgspec.Struct, frozen=True):
    operand: Operand
    literals: tuple[Literal, ...]


class Like(msgspec.Struct, frozen=True):
    operand: Header | Key
    pattern: str


class Exists(msgspec.Struct, frozen=True):
    header: Header


class IsNull(msgspec.Struct, frozen=True):
    operand: Key | Value


class Not(msgspec.Struct, frozen=True):
    node: "Node"


class All(msgspec.Struct, frozen=True):
    nodes: "tuple[Node, ...]"


class Any(msgspec.Struct, frozen=True):
    nodes: "tuple[Node, ...]"


Node = Compare | In | Like | Exists | IsNull | Not | All | Any
EVERYTHING: Final = All(())
"""What a view without a filter shows."""
