"""What the admin APIs of access write, as the image holds it: users, ACLs, quotas, tokens.

An entry is a small JSON document under its kind and a name. The image keeps its bytes and leaves their meaning to
`penstock.access`, which is told of each change (`EntryChanged`).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from penstock.metastore import KeyValue, Revision


class EntryKind(StrEnum):
    """The folder below the cluster's prefix."""

    USERS = "users"
    TOKENS = "tokens"
    ACLS = "acls"
    QUOTAS = "quotas"
    AUDIT = "audit"
    """How far each broker's audit log is known to reach."""


class Entry(NamedTuple):
    value: bytes
    revision: Revision
    """The key's mod revision: what a writer compares."""


class Entries:
    def __init__(self) -> None:
        self._by_kind: dict[EntryKind, dict[str, Entry]] = {kind: {} for kind in EntryKind}

    def of(self, kind: EntryKind) -> Mapping[str, Entry]:
        """All of a kind, by name. Changed in place: copy what is needed over an await."""
        return self._by_kind[kind]

    def apply(self, kind: EntryKind, name: str, item: KeyValue | None) -> bool:
        """Take one key's word; whether that is news."""
        entries = self._by_kind[kind]
        before = entries.get(name)
        if item is None:
            entries.pop(name, None)
            return before is not None
        entries[name] = Entry(item.value, item.mod_revision)
        return before is None or before.value != item.value

    def all(self) -> list[tuple[EntryKind, str]]:
        return [(kind, name) for kind, entries in self._by_kind.items() for name in entries]
