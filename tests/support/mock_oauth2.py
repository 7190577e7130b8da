"""mock-oauth2-server: somebody else's issuer of tokens, whose standards are not ours. Gives a token to whoever asks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support import java
from tests.support.faults import eventually
from tests.support.kafka import free_ports

VERSION = "6.0.2"
JARS = (java.ROOT / ".cache" / f"mock-oauth2-server-{VERSION}").resolve()
SCOPE = "queue"
"""It becomes the audience of a token."""


class MockOAuth2Server:
    def __init__(self, folder: Path) -> None:
        self._output = folder / "mock-oauth2-server.out"
        (self.port,) = free_ports(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}/realm"

    @property
    def token_url(self) -> str:
        return f"{self.issuer}/token"

    def __enter__(self) -> MockOAuth2Server:
        if not (JARS / ".complete").exists():
            raise java.ToolMissing(f"mock-oauth2-server is not in {JARS}; run: tools/test-setup")
        flags = ("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        main_class = "no.nav.security.mock.oauth2.StandaloneMockOAuth2ServerKt"
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [java.java(), *flags, "-cp", f"{JARS}/*", main_class],
                env={**os.environ, "SERVER_PORT": str(self.port), "SERVER_HOSTNAME": "127.0.0.1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            eventually(self._is_up, "mock-oauth2-server answers")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _is_up(self) -> bool:
        import urllib.request

        assert self._process is not None and self._process.poll() is None, self._output.read_text()
        try:
            with urllib.request.urlopen(f"{self.issuer}/.well-known/openid-configuration", timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False
