"""How much each part of the broker logs, settable while it runs: Kafka's BROKER_LOGGER resource.

A logger is named after its module, and one without a level of its own has its parent's, up to "root". `drop_quiet` is
the structlog processor that makes the levels act.
"""

import logging
import sys
from collections.abc import Callable, MutableMapping
from typing import Any, TextIO

import structlog

from penstock.errors import InvalidConfig, InvalidRequest

ROOT = "root"
_PACKAGE = "penstock"

LEVELS = {
    "TRACE": logging.DEBUG,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
}
"""Kafka's names; there is nothing below DEBUG here."""

_METHODS = {"debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "exception": 40, "critical": 50}


class LoggerLevels:
    def __init__(self, root: str = "INFO") -> None:
        self._own = {ROOT: root}

    def names(self) -> list[str]:
        """Root, and every module that has been imported and logs."""
        modules = [name for name in list(sys.modules) if name.partition(".")[0] == _PACKAGE]
        return [ROOT, *sorted(name for name in modules if hasattr(sys.modules[name], "_log"))]

    def level(self, name: str) -> str:
        """What holds for this logger: its own level or its nearest parent's."""
        while name:
            if name in self._own:
                return self._own[name]
            name = name.rpartition(".")[0]
        return self._own[ROOT]

    def check(self, name: str, level: str | None) -> None:
        """Whether this change can be made; None is going back to the parent's level."""
        if name not in self.names():
            raise InvalidConfig(f"there is no logger {name}")
        if level is None and name == ROOT:
            raise InvalidRequest("the root logger has no parent to take a level from: set another one")
        if level is not None and level not in LEVELS:
            raise InvalidConfig(f"{name} cannot log at {level!r}: the levels are {', '.join(LEVELS)}")

    def set(self, name: str, level: str | None) -> None:
        self.check(name, level)
        if level is None:
            self._own.pop(name, None)
        else:
            self._own[name] = level

    def begin_at(self, root: str) -> None:
        """Start over with one level for all."""
        self._own = {ROOT: root}

    def allows(self, name: str, method: str) -> bool:
        return _METHODS.get(method, logging.CRITICAL) >= LEVELS[self.level(name)]

    def drop_quiet(self, logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """A structlog processor, the first of the chain; a logger without a name counts as root."""
        if not self.allows(getattr(logger, "name", ROOT), method):
            raise structlog.DropEvent
        return event


class NamedLogger(structlog.WriteLogger):
    """Writes a line, and knows whose it is. In one piece, its end included: several brokers may share the stream."""

    def __init__(self, name: str, stream: TextIO) -> None:
        super().__init__(stream)
        self.name = name


def named_loggers(stream: TextIO) -> Callable[..., NamedLogger]:
    """The logger factory that structlog is configured with: `get_logger(__name__)` gives a logger of that name."""
    return lambda *name: NamedLogger(name[0] if name else ROOT, stream)


LOGGER_LEVELS = LoggerLevels()
"""The process's own: logging is configured once a process, so there is one."""
