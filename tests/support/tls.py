"""Certificates for tests, in files as a person has them, and what brokers and clients are told of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.support.kafka import free_ports

import penstock.testing
from penstock.testing import RunningBroker
from penstock.transport.certificates import Identity, issue, make_authority, write_identity

HOSTS = ("localhost", "127.0.0.1")


class Certificates:
    """An authority with a folder of what it has signed."""

    def __init__(self, folder: Path, *, name: str = "Test CA", since_days: float = 0, days: int = 3650) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.identity = make_authority(name, now=_now(since_days), days=days)
        self.authority = folder / "ca.pem"
        self.authority.write_bytes(self.identity.certificate)

    def issue(self, name: str, *, since_days: float = 0, **more: Any) -> Identity:
        return issue(self.identity, name, now=_now(since_days), **more)

    def file(self, name: str, **more: Any) -> Path:
        """Key and certificate in one file, as Kafka's PEM key stores are."""
        path = self.folder / f"{name}.pem"
        write_identity(self.issue(name, **more), certificate=path, key=path)
        return path

    def broker_file(self, name: str = "broker", **more: Any) -> Path:
        return self.file(name, hosts=HOSTS, **more)

    # What is set ----------------------------------------------------------------------------------------------------

    def of_broker(self, name: str = "broker", **more: str) -> dict[str, str]:
        path = self.folder / f"{name}.pem"
        given = {
            "ssl.keystore.location": str(path if path.exists() else self.broker_file(name)),
            "ssl.truststore.location": str(self.authority),
        }
        return given | {setting.replace("_", "."): value for setting, value in more.items()}

    def of_librdkafka(self, name: str | None = None, *, bootstrap: str = "") -> dict[str, Any]:
        """`name`: whose certificate is shown."""
        given = {"security.protocol": "ssl", "ssl.ca.location": str(self.authority)}
        if bootstrap:
            given["bootstrap.servers"] = bootstrap
        if name is not None:
            path = self.folder / f"{name}.pem"
            given |= {"ssl.certificate.location": str(path), "ssl.key.location": str(path)}
        return given

    def of_java(self, name: str | None = None) -> dict[str, str]:
        given = {
            "security.protocol": "SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority),
        }
        if name is not None:
            given |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(self.folder / f"{name}.pem")}
        return given


def _now(since_days: float) -> datetime:
    return datetime.now(UTC) - timedelta(days=since_days)


@contextmanager
def broker_of_three_listeners(certificates: Certificates) -> Iterator[tuple[RunningBroker, dict[str, int]]]:
    """With the ports of PLAINTEXT, SSL and MUTUAL, where clients show a certificate."""
    ports = dict(zip(("PLAINTEXT", "SSL", "MUTUAL"), free_ports(3), strict=True))
    settings = {
        "listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items()),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,MUTUAL:SSL",
        "listener.name.mutual.ssl.client.auth": "required",
        **certificates.of_broker(),
    }
    with penstock.testing.broker(settings) as broker:
        yield broker, ports
