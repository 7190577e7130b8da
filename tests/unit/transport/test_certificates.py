"""Certificates that we make, judged by openssl and by Python's own TLS."""

import ssl
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from penstock.transport.certificates import (
    Identity,
    issue,
    look_into,
    make_authority,
    read_identity,
    write_identity,
)

NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def authority() -> Identity:
    return make_authority("Penstock test CA", now=NOW)


def openssl(*arguments: str | Path) -> str:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> ssl.SSLObject:
    """The client's end of a connection through memory; SSLError where one of them refuses."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    far = server.wrap_bio(to_server, to_client, server_side=True)
    near = client.wrap_bio(to_client, to_server, server_hostname=host)
    for _ in range(4):
        for end in (near, far):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return near


def contexts(tmp_path: Path, authority: Identity, identity: Identity) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    write_identity(identity, certificate=tmp_path / "both.pem", key=tmp_path / "both.pem")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "both.pem")
    return server, ssl.create_default_context(cadata=authority.certificate.decode())


@pytest.mark.parametrize("host", ["broker-1.example", "127.0.0.1", "::1"])
def test_a_server_is_believed_under_each_of_its_hosts(tmp_path: Path, authority: Identity, host: str) -> None:
    identity = issue(authority, "broker-1", now=NOW, hosts=("broker-1.example", "127.0.0.1", "::1"))
    server, client = contexts(tmp_path, authority, identity)
    assert shake_hands(server, client, host).version() == "TLSv1.3"


def test_a_server_is_not_believed_under_another_host(tmp_path: Path, authority: Identity) -> None:
    server, client = contexts(tmp_path, authority, issue(authority, "broker-1", now=NOW, hosts=("broker-1.example",)))
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(server, client, "broker-2.example")


def test_a_clients_certificate_is_no_servers(tmp_path: Path, authority: Identity) -> None:
    write_identity(issue(authority, "alice", now=NOW), certificate=tmp_path / "alice.pem", key=tmp_path / "alice.key")
    (tmp_path / "ca.pem").write_bytes(authority.certificate)
    verify = ("verify", "-x509_strict", "-CAfile", tmp_path / "ca.pem", "-purpose")
    assert openssl(*verify, "sslclient", tmp_path / "alice.pem").strip().endswith("OK")
    assert "certificate purpose" in openssl(*verify, "sslserver", tmp_path / "alice.pem")


def test_openssl_reads_subject_key_and_names(tmp_path: Path, authority: Identity) -> None:
    identity = issue(authority, "broker-1", now=NOW, hosts=("a.example", "10.0.0.1"), organization="Waterworks")
    (tmp_path / "x.pem").write_bytes(identity.certificate)
    text = openssl("x509", "-in", tmp_path / "x.pem", "-noout", "-text")
    assert "Subject: O = Waterworks, CN = broker-1" in text
    assert "NIST CURVE: P-256" in text
    assert "DNS:a.example, IP Address:10.0.0.1" in text


def test_only_the_owner_may_read_a_key(tmp_path: Path, authority: Identity) -> None:
    key, certificate = tmp_path / "k.pem", tmp_path / "c.pem"
    write_identity(authority, certificate=certificate, key=key)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert read_identity(certificate=certificate, key=key) == authority
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["c.pem", "k.pem"]


def test_days_left_are_counted_to_the_end_and_beyond(authority: Identity) -> None:
    ended, *_ = look_into(issue(authority, "old", now=NOW - timedelta(days=10), days=3).certificate)
    assert ended.days_left(NOW) == pytest.approx(-7, abs=0.001)
    assert ended.days_left(NOW - timedelta(days=9)) == pytest.approx(2, abs=0.001)


def test_a_chain_is_looked_into_in_its_order(authority: Identity) -> None:
    leaf, root = look_into(issue(authority, "x", now=NOW, hosts=("h", "::1")).certificate)
    assert (leaf.subject, leaf.issuer, leaf.names, leaf.is_authority) == (
        "CN=x", "CN=Penstock test CA", ("h", "::1"), False,
    )  # fmt: skip
    assert (root.subject, root.is_authority) == ("CN=Penstock test CA", True)


def test_what_is_no_certificate_is_refused() -> None:
    with pytest.raises(ValueError, match="PEM"):
        look_into(b"garbage")


def test_a_key_is_not_shown(authority: Identity) -> None:
    assert "PRIVATE" not in repr(authority)
