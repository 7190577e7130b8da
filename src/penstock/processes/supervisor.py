"""Sees which processes end unasked, and starts again those that are to be.

`look` is called again and again by whoever runs them. It answers with what happened since the last time, for the
caller to tell.
"""

import time
from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

import msgspec

PAUSE_MIN_S = 1.0
SOUND_AFTER_S = 300.0
"""A process that ran for so long and ends has a new reason to, so it is started again soon."""

Name = TypeVar("Name")


class Member(Protocol):
    """A broker, a worker or an etcd."""

    @property
    def is_running(self) -> bool: ...

    @property
    def is_started(self) -> bool: ...

    def launch(self) -> None: ...


class Ended(msgspec.Struct, Generic[Name], frozen=True):
    """Unasked."""

    name: Name
    again_in_s: float | None
    """None: nobody starts it again unless somebody wants that."""


class StoppedForRestart(msgspec.Struct, Generic[Name], frozen=True):
    name: Name


class StartedAgain(msgspec.Struct, Generic[Name], frozen=True):
    name: Name


class NotStartedAgain(msgspec.Struct, Generic[Name], frozen=True):
    """The machine has no memory or no process to spare; the others need not end for that."""

    name: Name
    error: OSError
    again_in_s: float


class ReadyAgain(msgspec.Struct, Generic[Name], frozen=True):
    name: Name


News = Ended[Name] | StoppedForRestart[Name] | StartedAgain[Name] | NotStartedAgain[Name] | ReadyAgain[Name]


class Supervisor(Generic[Name]):
    def __init__(
        self,
        members: Mapping[Name, Member],
        *,
        restarts: bool,
        pause_max_s: float = PAUSE_MIN_S,
        is_wanted: Callable[[Name], bool] = lambda name: False,
    ) -> None:
        """`members` have been started. `restarts`: start again whoever ended, after a pause that doubles up to
        `pause_max_s`. `is_wanted`: whether somebody asked that it be started.
        """
        self._members = members
        self._restarts = restarts
        self._is_wanted = is_wanted
        self._watches = {name: _Watch(pause_max_s) for name in members}

    def look(self) -> list[News[Name]]:
        return [news for name in self._members for news in self._look_at(name)]

    def _look_at(self, name: Name) -> list[News[Name]]:
        member, watch = self._members[name], self._watches[name]
        if member.is_running:
            if not watch.is_starting or not member.is_started:
                return []
            watch.is_starting = False
            return [ReadyAgain(name)]
        news: list[News[Name]] = []
        is_wanted = self._is_wanted(name)
        if watch.is_alive:
            watch.is_alive = watch.is_starting = False
            if is_wanted:
                news.append(StoppedForRestart(name))
            else:
                news.append(Ended(name, watch.put_off() if self._restarts else None))
        if is_wanted or watch.is_due:
            news.append(self._launch(name))
        return news

    def _launch(self, name: Name) -> News[Name]:
        watch = self._watches[name]
        try:
            self._members[name].launch()
        except OSError as error:
            return NotStartedAgain(name, error, watch.put_off())
        watch.launched()
        return StartedAgain(name)


class _Watch:
    """What is known of one member. One that cannot live is tried more and more seldom."""

    def __init__(self, pause_max_s: float) -> None:
        self.is_alive = True
        self.is_starting = False
        self._launched_s = time.monotonic()
        self._pause_s = PAUSE_MIN_S
        self._pause_max_s = pause_max_s
        self._due_s: float | None = None

    @property
    def is_due(self) -> bool:
        return self._due_s is not None and self._due_s <= time.monotonic()

    def put_off(self) -> float:
        """It is to be started again, in so many seconds."""
        if time.monotonic() - self._launched_s >= SOUND_AFTER_S:
            self._pause_s = PAUSE_MIN_S
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, self._pause_max_s)
        self._due_s = time.monotonic() + pause_s
        return pause_s

    def launched(self) -> None:
        self.is_alive = self.is_starting = True
        self._launched_s = time.monotonic()
        self._due_s = None
