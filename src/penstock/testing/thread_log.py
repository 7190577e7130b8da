"""Where a broker in a thread logs: to a file of its own, as one in a process does, and not into the test's output.

structlog has one configuration a process, which belongs to whoever runs the tests. If they have made one, it stays, and
the broker logs by it. If not, this one sends the broker's events to its file and leaves all others as they were.
"""

from collections.abc import MutableMapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import structlog

from penstock.broker.loggers import LOGGER_LEVELS

_path: ContextVar[Path] = ContextVar("penstock_log_path")
_latest: list[Path] = []
"""Of the broker started last: for its helper threads, which do not all carry the context along."""


def log_to(path: Path) -> None:
    """Called in the broker's own thread, before anything in it logs."""
    _path.set(path)
    _latest[:] = [path]
    if not structlog.is_configured():
        usual = structlog.get_config()
        chain = [_quiet, *usual["processors"][:-1], _Rendering(usual["processors"][-1])]
        structlog.configure(processors=chain, logger_factory=_Factory(usual["logger_factory"]))


class _FileLogger:
    """Opens the file for each line: a test logs few, and the folder may be gone when the last one comes."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._path = path

    def msg(self, message: str) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(message + "\n")
        except OSError:
            pass

    debug = info = warning = warn = error = exception = critical = msg


class _Factory:
    def __init__(self, usual: Any) -> None:
        self._usual = usual

    def __call__(self, *name: str) -> Any:
        if name and name[0].startswith("penstock."):
            return _FileLogger(name[0], _path.get(_latest[-1]))
        return self._usual(*name)


def _quiet(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return LOGGER_LEVELS.drop_quiet(logger, method, event) if isinstance(logger, _FileLogger) else event


class _Rendering:
    def __init__(self, usual: Any) -> None:
        self._usual = usual
        self._plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)

    def __call__(self, logger: Any, method: str, event: MutableMapping[str, Any]) -> Any:
        return (self._plain if isinstance(logger, _FileLogger) else self._usual)(logger, method, event)
