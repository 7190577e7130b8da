"""Adds, finds and takes away access rules, however many there are: the loop serves others in between."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from penstock.access.acls import Acl, AclFilter, encode, entry_name
from penstock.access.authorizer import Authorizer
from penstock.cluster import Controller, Entry, EntryChange, EntryKind
from penstock.errors import PolicyViolation, Refusal
from penstock.settings import Config
from penstock.settings.broker_access import PENSTOCK_ACLS_MAX

WRITTEN_AT_ONCE: Final = 1_000
"""Rules of one command: some milliseconds of preparing, and eight or nine transactions."""
LOOKED_AT_AT_ONCE: Final = 2_000
"""Rules that a filter looks at between two turns of the loop: a millisecond."""


class AclChanges:
    def __init__(self, authorizer: Authorizer, controller: Controller, config: Config) -> None:
        self._authorizer = authorizer
        self._controller = controller
        self._config = config

    async def find(self, wanted: AclFilter) -> dict[str, Acl]:
        """By the names of their entries."""
        there = self._authorizer.acls
        if (only := wanted.only) is not None:
            name = entry_name(only)
            return {name: only} if name in there else {}
        found: dict[str, Acl] = {}
        for number, (name, acl) in enumerate(list(there.items()), 1):
            if wanted.finds(acl):
                found[name] = acl
            if number % LOOKED_AT_AT_ONCE == 0:
                await asyncio.sleep(0)
        return found

    async def add(self, acls: Sequence[Acl]) -> list[Refusal | None]:
        """For each None, or why it was not added. One that is there already is no news."""
        outcomes: list[Refusal | None] = []
        for first in range(0, len(acls), WRITTEN_AT_ONCE):
            some = {entry_name(acl): encode(acl) for acl in acls[first : first + WRITTEN_AT_ONCE]}
            outcome = await self._change(_Adding(some, self._config[PENSTOCK_ACLS_MAX]))
            outcomes += [outcome] * len(acls[first : first + WRITTEN_AT_ONCE])
        return outcomes

    async def remove(self, names: Collection[str]) -> dict[str, Refusal]:
        """Those that could not be removed. One that is gone already is no news."""
        refused: dict[str, Refusal] = {}
        ordered = list(dict.fromkeys(names))
        for first in range(0, len(ordered), WRITTEN_AT_ONCE):
            some = ordered[first : first + WRITTEN_AT_ONCE]
            outcome = await self._change(_Removing(some))
            if outcome is not None:
                refused |= dict.fromkeys(some, outcome)
        return refused

    async def _change(self, decide: "_Adding | _Removing") -> Refusal | None:
        try:
            await self._controller.change_entries(EntryKind.ACLS, decide)
        except Refusal as refusal:
            return refusal
        return None


class _Adding:
    def __init__(self, wanted: Mapping[str, bytes], count_max: int) -> None:
        self._wanted = wanted
        self._count_max = count_max

    def __call__(self, there: Mapping[str, Entry]) -> EntryChange[None]:
        new = {name: value for name, value in self._wanted.items() if name not in there}
        if len(there) + len(new) > self._count_max:
            raise PolicyViolation(f"more than {self._count_max} access rules (penstock.acls.max)")
        return EntryChange(None, puts=new)


class _Removing:
    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def __call__(self, there: Mapping[str, Entry]) -> EntryChange[None]:
        return EntryChange(None, deletes=[name for name in self._names if name in there])
