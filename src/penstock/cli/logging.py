"""What the broker writes to its own log: lines for people, or one JSON object a line for programs. Always on stderr."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from penstock.broker.loggers import LOGGER_LEVELS, named_loggers
from penstock.cli.printable import printable

_KAFKA_LEVELS = {"debug": "DEBUG", "info": "INFO", "warning": "WARN", "error": "ERROR"}
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure_logging(*, form: str, level: str, node: int | None = None) -> None:
    """Before anything is logged; form is text or json, level as penstock.log.level has it. A node that is named is
    named in every line, for logs of several that go to one place.

    Each logger's level can be changed while the broker runs (the BROKER_LOGGER resource), so it is asked at every line.
    """
    LOGGER_LEVELS.begin_at(_KAFKA_LEVELS[level])
    structlog.configure(
        processors=[
            LOGGER_LEVELS.drop_quiet,
            *([] if node is None else [_signed(node)]),
            structlog.processors.add_log_level,
            *(_json_processors() if form == "json" else _text_processors()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=named_loggers(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Libraries that use the standard library's logging (asyncio's slow callbacks, for one) end up in the same stream.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_StandardFormatter(form, node))
    logging.basicConfig(level=max(_LEVELS[level], logging.INFO), handlers=[handler], force=True)


def _signed(node: int) -> structlog.typing.Processor:
    """A processor rather than a context variable, which the threads that open and clean logs would not see."""

    def sign(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event["node"] = node
        return event

    return sign


def _text_processors() -> list[Any]:
    return [
        _printable,
        structlog.processors.TimeStamper(
            fmt="%H:%M:%S.%f" if sys.stderr.isatty() else "iso", utc=not sys.stderr.isatty()
        ),
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
        ),
    ]


def _printable(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """What strangers call themselves must not write on a terminal as it likes, nor look like a line of its own."""
    for key, value in event.items():
        if key != "event" and isinstance(value, str) and not value.isprintable():
            event[key] = printable(value)
    return event


def _json_processors() -> list[Any]:
    return [
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.dict_tracebacks,
        structlog.processors.JSONRenderer(default=str),
    ]


class _StandardFormatter(logging.Formatter):
    """A line of the standard library's logging in the form that structlog's lines have."""

    def __init__(self, form: str, node: int | None) -> None:
        super().__init__()
        self._node = {} if node is None else {"node": node}
        self._renderer = structlog.processors.JSONRenderer() if form == "json" else None

    def format(self, record: logging.LogRecord) -> str:
        if self._renderer is None:
            signed = "".join(f" node={node}" for node in self._node.values())
            return f"{record.levelname.lower()} {record.name}: {record.getMessage()}{signed}"
        event = {"event": record.getMessage(), "logger": record.name, "level": record.levelname.lower(), **self._node}
        return str(self._renderer(None, "", event))
