"""The web process that `penstock up` starts, if there is to be one: with which options, and what is said of it.

Whatever goes wrong with it is said, and the brokers run on.
"""

from collections.abc import Sequence
from pathlib import Path

import structlog

from penstock.processes.web import WebProcess, is_installed
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_LOG_FORMAT, PENSTOCK_WEB_LISTENER

MISSING = "off: pip install 'penstock-mq[web]'"

_log = structlog.get_logger(__name__)


class WebChild:
    def __init__(self, config: Config) -> None:
        self._listener = config[PENSTOCK_WEB_LISTENER]
        self._log_format = config[PENSTOCK_LOG_FORMAT]
        self._process: WebProcess | None = None
        self.said = "off"
        """Where it is, or why there is none, for people."""

    def start(self, bootstrap: Sequence[str], *, profile: Path | None, needs_login: bool, pages: str) -> None:
        """`profile`: how the first user logs in, whose certificates the web process trusts; its login is for nobody."""
        if not self._listener:
            return
        if not is_installed():
            self.said = MISSING
            return
        if needs_login and profile is None:
            self.said = "off: run `penstock web --profile PROFILE`, as the listener is secured"
            return
        host, _, port = self._listener.rpartition(":")
        options = ["--bootstrap", ",".join(bootstrap), "--host", host.strip("[]"), "--log-format", self._log_format]
        options += ["--profile", str(profile)] if needs_login and profile is not None else []
        options += ["--broker-pages", pages if "://" in pages else f"http://{pages}"] if pages else []
        try:
            self._process = WebProcess(host.strip("[]"), int(port), options)
        except OSError as error:
            self.said = f"off: {self._listener} cannot be had ({error.strerror}); --web-port takes another"
            _log.warning("no web process; the broker goes on", address=self._listener, reason=error.strerror)
            return
        self._process.start()
        self.said = self._process.url

    def ask_to_stop(self) -> None:
        """For who has more to stop meanwhile."""
        if self._process is not None:
            self._process.ask_to_stop()

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()
