"""Certificates are renewed and authorities change while clients are served, over HTTP too."""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.support.kafka import free_ports
from tests.support.tls import Certificates

import penstock.testing
from penstock.client import Client
from penstock.testing import BrokerFailed

WITHIN_S = 60.0


def shown(port: int, trusting: ssl.SSLContext) -> str:
    """The serial number of the certificate that is shown there."""
    with (
        socket.create_connection(("127.0.0.1", port), WITHIN_S) as sock,
        trusting.wrap_socket(sock, server_hostname="localhost") as open_,
    ):
        certificate = open_.getpeercert()
        assert certificate is not None
        return str(certificate["serialNumber"])


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_certificate_and_an_authority_are_replaced_without_a_client_noticing(tmp_path: Path) -> None:
    old, new = Certificates(tmp_path / "old", name="Old CA"), Certificates(tmp_path / "new", name="New CA")
    key_store, trust_store = tmp_path / "broker.pem", tmp_path / "ca.pem"
    key_store.write_bytes(old.broker_file().read_bytes())
    trust_store.write_bytes(old.authority.read_bytes())
    believing_both = ssl.create_default_context(cadata=old.authority.read_text() + new.authority.read_text())
    believing_both.load_cert_chain(old.file("client"))
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SSL://127.0.0.1:{port}",
        "penstock.http.listener": "https://127.0.0.1:0",
        "listener.name.ssl.ssl.client.auth": "required",
        "ssl.keystore.location": str(key_store),
        "ssl.truststore.location": str(trust_store),
        "penstock.tls.reload.ms": "20",
    }
    with (
        penstock.testing.broker(settings) as broker,
        Client(f"127.0.0.1:{port}", tls=believing_both, timeout_s=WITHIN_S) as client,
    ):

        def metrics() -> str:
            trusting = ssl.create_default_context(cadata=old.authority.read_text() + new.authority.read_text())
            with urlopen(f"{broker.http_url}/metrics", context=trusting) as answer:
                return str(answer.read().decode())

        client.create_topics(["served"]).all()
        first = shown(port, believing_both)
        assert re.search(r'penstock_tls_certificate_days_left\{kind="certificate",listener="SSL"\} 36\d', metrics())

        key_store.write_bytes(b"half a file")
        until(lambda: "certificates not renewed" in broker.log_tail(100))
        assert shown(port, believing_both) == first, "what was read before stays in use"

        # The authority changes as the docs say: first both are believed, then the certificate is the new one's.
        trust_store.write_bytes(old.authority.read_bytes() + new.authority.read_bytes())
        key_store.write_bytes(new.broker_file().read_bytes())
        until(lambda: shown(port, believing_both) != first)
        trust_store.write_bytes(new.authority.read_bytes())
        until(lambda: not is_let_in(port, old, new))
        assert is_let_in(port, new, new)
        assert set(client.list_topics()) == {"served"}, "its connection lives on"
        assert "penstock_tls_certificate_days_left" in metrics()


def is_let_in(port: int, owner: Certificates, believed: Certificates) -> bool:
    context = ssl.create_default_context(cafile=str(believed.authority))
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # the refusal comes with the handshake
    context.load_cert_chain(owner.file("again"))
    try:
        return bool(shown(port, context))
    except OSError:
        return False


@pytest.mark.parametrize(
    ("stored", "why"), [(b"hello", "no certificate in PEM"), (None, "cannot be read: No such file")]
)
def test_a_broker_does_not_start_with_a_file_that_cannot_be_used(
    tmp_path: Path, stored: bytes | None, why: str
) -> None:
    if stored is not None:
        (tmp_path / "broker.pem").write_bytes(stored)
    settings = {"listeners": "SSL://127.0.0.1:0", "ssl.keystore.location": str(tmp_path / "broker.pem")}
    with pytest.raises(BrokerFailed, match=why), penstock.testing.broker(settings):
        pass
