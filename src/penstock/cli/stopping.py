"""Ctrl-C and SIGTERM for a program that has other programs in its care."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

import click
import structlog

from penstock.cli.exits import ExitCode

_log = structlog.get_logger(__name__)


class StopAsked(Exception):
    """Somebody asked us to stop."""


class Stopping:
    """Raises StopAsked only in waits, so that nothing is left half done: a process started and not yet noted, say."""

    def __init__(self, kill_all: Callable[[], None], *, what: str, is_json: bool = False) -> None:
        """`what` is stopped, in the words that a person at the terminal reads; a program reads lines of JSON alone."""
        self._kill_all = kill_all
        self._what = what
        self._is_json = is_json
        self._is_asked = False
        self._is_waiting = False

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        self._is_waiting = True
        try:
            if self._is_asked:
                raise StopAsked
            yield
        finally:
            self._is_waiting = False

    def sleep(self, seconds: float) -> None:
        with self.waiting():
            time.sleep(seconds)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._is_asked:
            if number == signal.SIGINT:
                self._leave()
            return
        self._is_asked = True
        _log.info("stopping", signal=signal.Signals(number).name)
        if sys.stderr.isatty() and not self._is_json:
            click.echo(f"\nStopping {self._what}; Ctrl-C again does not wait.", err=True)
        if self._is_waiting:
            raise StopAsked

    def _leave(self) -> None:
        self._kill_all()
        if self._is_json:
            _log.warning("left without a clean stop")
        else:
            click.echo("Left without a clean stop; the next start recovers the logs.", err=True)
        sys.stderr.flush()
        os._exit(ExitCode.INTERRUPTED)
