"""What a struct looks like on the wire at each version; versions that look alike share a layout, and so a function."""

from collections.abc import Iterator
from dataclasses import dataclass

from tools.wire.facts import Field, Message, snake

from penstock.wire.fields import FIXED

__all__ = ["FIXED", "Layout", "Layouts", "Slot"]


@dataclass(frozen=True)
class Slot:
    """One field in its place in a layout."""

    field: Field
    compact: bool
    nullable: bool
    tagged: bool
    inner: "Layout | None"  # of the struct, or of the array's element

    @property
    def is_fixed(self) -> bool:
        return self.field.type in FIXED and not self.field.is_array

    @property
    def least_size(self) -> int:
        if self.is_fixed:
            return FIXED[self.field.type][1]
        if self.inner is not None and not self.field.is_array:
            return 1 if self.nullable else self.inner.least_size
        if self.compact:
            return 1
        return 2 if self.field.type == "string" and not self.field.is_array else 4


@dataclass(frozen=True)
class Layout:
    struct: str
    flexible: bool
    slots: tuple[Slot, ...]
    tagged: tuple[Slot, ...]  # by rising tag
    refused: tuple[Field, ...]  # absent and not to be dropped silently: must hold their default when written
    first_version: int

    @property
    def suffix(self) -> str:
        return f"{snake(self.struct)}_v{self.first_version}"

    @property
    def least_size(self) -> int:
        return sum(slot.least_size for slot in self.slots) + self.flexible


class Layouts:
    """All layouts of one message for one direction, inner ones before those that use them."""

    def __init__(self, message: Message, *, writing: bool, since: int = 0) -> None:
        self.message = message
        self._writing = writing
        self._known: dict[tuple[object, ...], Layout] = {}
        versions = [version for version in message.versions if version >= since]
        self.by_version = {version: self._of(message.name, message.fields, version) for version in versions}

    def __iter__(self) -> Iterator[Layout]:
        return iter(self._known.values())

    def _of(self, name: str, fields: tuple[Field, ...], version: int) -> Layout:
        present = [field for field in fields if version in field.versions]
        slots = [self._slot(field, version) for field in present]
        untagged = tuple(slot for slot in slots if not slot.tagged)
        tagged = tuple(sorted((slot for slot in slots if slot.tagged), key=lambda slot: slot.field.tag or 0))
        refused = tuple(field for field in fields if self._writing and field not in present and not field.ignorable)
        flexible = version in self.message.flexible
        key = (name, flexible, untagged, tagged, refused)
        return self._known.setdefault(key, Layout(name, flexible, untagged, tagged, refused, version))

    def _slot(self, field: Field, version: int) -> Slot:
        inner = self._of(field.type, self.message.structs[field.type], version) if field.is_struct else None
        return Slot(
            field=field,
            compact=version in self.message.flexible and not field.always_plain,
            nullable=version in field.nullable,
            tagged=version in field.tagged,
            inner=inner,
        )
