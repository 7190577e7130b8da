"""A broker whose users log in and whose access rules decide; root may do everything."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.kafka import free_ports

import penstock.testing
from penstock.access.users.first import first_user_lines
from penstock.testing import RunningBroker

PASSWORD = "known to all"


@contextmanager
def ruled_broker(
    folder: Path, *users: str, settings: Mapping[str, str] | None = None
) -> Iterator[tuple[int, RunningBroker]]:
    """Its port, and the broker: root and `users` log in with PASSWORD."""
    first = folder / "first"
    first.touch(0o600)
    first.write_text("".join(first_user_lines(user, PASSWORD) for user in ("root", *users)))
    (port,) = free_ports(1)
    ruled = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:root",
        "sasl.enabled.mechanisms": "PLAIN",
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first),
    }
    with penstock.testing.broker(ruled | dict(settings or {}), mode="process") as running:
        yield port, running
