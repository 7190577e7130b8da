"""For suites that run commands in their own process, some of which configure its logs."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from penstock.broker.loggers import LOGGER_LEVELS


@pytest.fixture(autouse=True)
def logging_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Configuring logs is for a process; a test gives back what it found. No logger may keep the test's own stderr."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    configure = structlog.configure

    def without_a_cache(**given: Any) -> None:
        configure(**given | {"cache_logger_on_first_use": False})

    monkeypatch.setattr(structlog, "configure", without_a_cache)
    yield
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()
    LOGGER_LEVELS.begin_at("INFO")
