"""Events that repeat become one with a count, so that whoever is refused a thousand times a second writes neither a
disk full nor the log's older files away.

The first of a kind is told at once. Those that come within the next seconds are counted, and told together when the
time is over. What a stranger chooses freely, client ids and the names of what is asked for, does not make a new kind:
some names are told, the rest counted.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

import msgspec

from penstock.access.audit.events import NAMES_MAX, Event, Resource
from penstock.model import Millis

KINDS_MAX: Final = 1_000
"""Kinds that are counted at once. One more, and the oldest is told early."""


class _Counted:
    __slots__ = ("began", "count", "last", "named", "users")

    def __init__(self, began: Millis) -> None:
        self.began = began
        self.count = 0
        self.last: Event | None = None
        self.named: dict[tuple[str, str], Resource] = {}
        self.users: dict[str, None] = {}


class Folding:
    def __init__(self) -> None:
        self._counted: OrderedDict[Hashable, _Counted] = OrderedDict()
        """By kind, the oldest first."""

    def add(self, event: Event, now: Millis) -> list[Event]:
        """What is to be told because of it."""
        kind = kind_of(event)
        counted = self._counted.get(kind)
        if counted is None:
            told = [event]
            if len(self._counted) >= KINDS_MAX:
                _, oldest = self._counted.popitem(last=False)
                told = [*_told(oldest), event]
            self._counted[kind] = _Counted(now)
            return told
        counted.count += event.count
        if counted.last is None:
            counted.last = msgspec.structs.replace(event, start_time=event.time)
        else:
            counted.last = msgspec.structs.replace(event, start_time=counted.last.start_time)
        for resource in event.resources:
            if len(counted.named) < NAMES_MAX:
                counted.named.setdefault((resource.type, resource.name), resource)
        if event.user is not None and len(counted.users) < NAMES_MAX:
            counted.users.setdefault(event.user.name)
        return []

    def due(self, now: Millis, *, within_ms: int) -> list[Event]:
        """What was counted for so long. A kind that had nothing more is forgotten."""
        told: list[Event] = []
        while self._counted:
            kind, counted = next(iter(self._counted.items()))
            if 0 <= now - counted.began < within_ms:
                break
            del self._counted[kind]
            if counted.count:
                told += _told(counted)
                self._counted[kind] = _Counted(now)  # it goes on, so the next one is counted, too
        return told

    def all(self) -> list[Event]:
        """What was counted so far, at the end."""
        told = [event for counted in self._counted.values() for event in _told(counted)]
        self._counted.clear()
        return told


def kind_of(event: Event) -> Hashable:
    """What makes two events the same."""
    actor = "" if event.actor is None else f"{event.actor.user.type}:{event.actor.user.name}"
    host = "" if event.src_endpoint is None else event.src_endpoint.ip
    operation = "" if event.api is None else event.api.operation
    return (
        event.type_uid,
        actor,
        host,
        operation,
        event.auth_protocol,
        event.status_id,
        event.status_code,
        _user_of(event),
    )


def _user_of(event: Event) -> str:
    """Who logged in. Who failed to may have claimed any name."""
    return event.user.name if event.user is not None and not event.status_code else ""


def _told(counted: _Counted) -> list[Event]:
    last = counted.last
    if last is None:
        return []
    extra = {"users": list(counted.users)} if len(counted.users) > 1 else {}
    return [
        msgspec.structs.replace(
            last,
            count=counted.count,
            end_time=last.time,
            resources=tuple(counted.named.values()),
            unmapped={**last.unmapped, **extra},
        )
    ]
