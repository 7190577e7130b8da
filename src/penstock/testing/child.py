"""The process that testing/process.py starts: a broker that ends when its standard input does."""

import asyncio
import json
import os
import shutil
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.settings import Config

ORPHAN_STOP_TIMEOUT_S = 10.0


def main() -> None:
    orders = json.loads(sys.argv[1])
    lifeline = Lifeline(orders["remove"])
    lifeline.start()
    try:
        asyncio.run(_run(orders["settings"]))
    finally:
        lifeline.broker_has_stopped()


async def _run(settings: dict[str, str]) -> None:
    from penstock.admin import program  # noqa: PLC0415 - the lifeline is watched before the long import begins
    from penstock.settings import SettingsInvalid, load_settings  # noqa: PLC0415
    from penstock.testing.running import settings_problems  # noqa: PLC0415

    try:
        config = load_settings(overrides=settings)
    except SettingsInvalid as error:
        sys.exit(settings_problems(error.problems))
    _log_to_stdout(config)
    running = asyncio.ensure_future(program.run(config))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        await running
    except asyncio.CancelledError:
        pass  # a clean stop


def _log_to_stdout(config: "Config") -> None:
    """Which is a file, shown when a test fails."""
    import structlog  # noqa: PLC0415

    from penstock.broker.loggers import LOGGER_LEVELS, named_loggers  # noqa: PLC0415
    from penstock.settings.broker import PENSTOCK_LOG_LEVEL  # noqa: PLC0415

    level = config[PENSTOCK_LOG_LEVEL].upper()
    LOGGER_LEVELS.begin_at("WARN" if level == "WARNING" else level)
    usual = structlog.get_config()["processors"]
    structlog.configure(processors=[LOGGER_LEVELS.drop_quiet, *usual], logger_factory=named_loggers(sys.stdout))


class Lifeline(threading.Thread):
    """Stops the broker when whoever started it is gone, and takes the folder along: nobody else will."""

    def __init__(self, remove: str | None) -> None:
        super().__init__(daemon=True, name="lifeline")
        self._remove = remove
        self._stopped = threading.Event()
        self._is_cut = False

    def run(self) -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        self._is_cut = True
        os.kill(os.getpid(), signal.SIGTERM)
        self._stopped.wait(ORPHAN_STOP_TIMEOUT_S)
        if self._remove is not None:
            shutil.rmtree(self._remove, ignore_errors=True)
        os._exit(0)

    def broker_has_stopped(self) -> None:
        self._stopped.set()
        if self._is_cut:
            self.join()  # for ever: it ends the process


if __name__ == "__main__":
    main()
