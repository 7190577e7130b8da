"""Messages read and written by a table of their fields: those that nobody waits for.

What is sent with every poll, heartbeat or commit has straight-line functions of its own in penstock.wire.codecs. Of any
other message the module there is a table, and the functions for a version are put together when it is first met.
tools/wire/unrolled.py says which is which.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from penstock.wire.fields import Field, Version
from penstock.wire.primitives import Message
from penstock.wire.table_reading import Read, struct_reader
from penstock.wire.table_writing import Write, struct_writer

_Function = TypeVar("_Function")


class _ByVersion(dict[int, _Function], Generic[_Function]):
    """Makes a version's function when it is first asked for: of a message seldom more than one is met."""

    def __init__(self, versions: tuple[int, int], make: Callable[[int], _Function]) -> None:
        self._versions = versions
        self._make = make

    def __missing__(self, version: int) -> _Function:
        first, last = self._versions
        if not first <= version <= last:
            raise KeyError(version)
        self[version] = function = self._make(version)
        return function


def by_table(
    message: type[Message], structs: dict[type[Any], tuple[Field, ...]]
) -> tuple[dict[int, Read], dict[int, Write]]:
    """How to read and how to write the message, which is one of the structs; their fields are in the wire's order."""
    named = {made.__name__: (made, fields) for made, fields in structs.items()}
    flexible_from = message.flexible_from

    def at(version: int) -> Version:
        return Version(named, version, flexible_from is not None and version >= flexible_from)

    return (
        _ByVersion(message.versions, lambda version: struct_reader(message.__name__, at(version))[0]),
        _ByVersion(message.versions, lambda version: struct_writer(message.__name__, at(version))),
    )
