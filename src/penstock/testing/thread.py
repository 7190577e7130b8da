"""A broker in a thread of this process, with an event loop of its own."""

import asyncio
import os
import threading
from collections.abc import Mapping
from pathlib import Path

from penstock.admin import program
from penstock.broker.loggers import LOGGER_LEVELS
from penstock.processes.broker import RunningBroker
from penstock.settings import SettingsInvalid, load_settings
from penstock.settings.broker import PENSTOCK_LOG_LEVEL
from penstock.testing.running import FOR_TESTS, settings_problems
from penstock.testing.thread_log import log_to

GIVEN_UP_AFTER_S = 30.0
"""Generous: a broker that is given up goes on in this process, and a busy machine takes its time for a stop."""


class ThreadBroker(RunningBroker):
    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        super().__init__(folder, {**FOR_TESTS, **settings})
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    def _launch(self) -> None:
        self._failure = None
        # A daemon: a broker that hangs must not keep the test run from ending.
        self._thread = threading.Thread(target=self._main, name="penstock broker", daemon=True)
        self._thread.start()

    def _main(self) -> None:
        log_to(self.log_path)
        try:
            asyncio.run(self._run())
        except BaseException as failure:
            self._failure = failure

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        config = load_settings(overrides=self.settings)
        level = config[PENSTOCK_LOG_LEVEL].upper()
        LOGGER_LEVELS.begin_at("WARN" if level == "WARNING" else level)
        self._task = asyncio.ensure_future(program.run(config))
        try:
            await self._task
        except asyncio.CancelledError:
            pass  # a clean stop

    @property
    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def pid(self) -> int:
        return os.getpid()

    def kill(self) -> None:
        """A thread cannot be killed: it is asked to stop and given up after a while."""
        self._end(GIVEN_UP_AFTER_S)

    def pause(self) -> None:
        raise NotImplementedError("a broker in a thread cannot be paused: run it with mode='process'")

    def resume(self) -> None:
        """Nothing: it was never paused."""

    def _end(self, timeout_s: float) -> bool:
        assert self._thread is not None
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def log_tail(self, lines: int = 40) -> str:
        if isinstance(self._failure, SettingsInvalid):
            return settings_problems(self._failure.problems)
        return super().log_tail(lines) if self._failure is None else f"{type(self._failure).__name__}: {self._failure}"
