"""What comes to a listener with TLS that is none, or none that is wanted. Others are served meanwhile."""

from __future__ import annotations

import re
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from tests.support.kafka import free_ports
from tests.support.tls import Certificates

import penstock.testing
from penstock.client import Client
from penstock.processes.broker import RunningBroker
from penstock.processes.raw_requests import ask, ask_over
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse

API_VERSIONS = bytes.fromhex("00000013 0012 0000 00000007 0009 7374 7261 6e67 6572 73".replace(" ", ""))
WITHIN_S = 60.0
HALF_OPEN_MAX = 50


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"))


class Doors:
    def __init__(self, broker: RunningBroker, certificates: Certificates, ports: dict[str, int]) -> None:
        self.broker = broker
        self.ports = ports
        self._authority = str(certificates.authority)

    def connect(self, listener: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.ports[listener]), WITHIN_S)

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self._authority)

    def is_served(self, listener: str = "SSL") -> bool:
        with Client(f"127.0.0.1:{self.ports[listener]}", tls=self.trusting(), timeout_s=WITHIN_S) as client:
            client.list_topics()
        return True

    def metric(self, name: str) -> float:
        with urlopen(f"{self.broker.http_url}/metrics") as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))


@pytest.fixture(scope="module")
def doors(certificates: Certificates) -> Iterator[Doors]:
    names = ("PLAINTEXT", "SSL", "EITHER", "MUTUAL")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    settings = {
        "listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items()),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,EITHER:SSL,MUTUAL:SSL",
        "listener.name.either.penstock.tls": "optional",
        "listener.name.mutual.ssl.client.auth": "required",
        "penstock.tls.half.open.max": str(HALF_OPEN_MAX),
        "penstock.tls.handshake.timeout.ms": "1000",
        **certificates.of_broker(),
    }
    with penstock.testing.broker(settings) as broker:
        yield Doors(broker, certificates, ports)


def all_of(sock: socket.socket) -> bytes:
    """What is said until the connection ends."""
    said = b""
    try:
        while data := sock.recv(4096):
            said += data
    except ConnectionResetError:
        pass
    return said


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_client_that_does_not_encrypt_is_told_nothing_and_the_log_says_where_to_go(doors: Doors) -> None:
    with doors.connect("SSL") as sock:
        sock.send(API_VERSIONS)
        assert all_of(sock) == b"", "a TLS alert looks like a frame of 352 MB to a Java client"
    until(lambda: f"use PLAINTEXT://127.0.0.1:{doors.ports['PLAINTEXT']}" in doors.broker.log_tail(100))


def test_a_client_that_encrypts_at_a_plain_listener_is_told_so_by_tls(doors: Doors) -> None:
    with doors.connect("PLAINTEXT") as sock, pytest.raises(ssl.SSLError, match=r"(?i)handshake.failure"):
        doors.trusting().wrap_socket(sock, server_hostname="localhost")
    until(lambda: f"use SSL://127.0.0.1:{doors.ports['SSL']}" in doors.broker.log_tail(100))


def test_a_listener_where_tls_is_optional_serves_both(doors: Doors) -> None:
    assert doors.is_served("EITHER")
    with doors.connect("EITHER") as sock:
        sock.send(API_VERSIONS)
        size, correlation_id, error = struct.unpack(">iih", sock.recv(10, socket.MSG_WAITALL))
    assert size > 100
    assert (correlation_id, error) == (7, 0)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_old_versions_are_refused(doors: Doors, version: ssl.TLSVersion) -> None:
    asked = "-tls1" if version is ssl.TLSVersion.TLSv1 else "-tls1_1"
    address = f"127.0.0.1:{doors.ports['SSL']}"
    done = subprocess.run(
        ["openssl", "s_client", "-connect", address, asked, "-cipher", "ALL:@SECLEVEL=0"],
        input=b"", capture_output=True, check=False, timeout=WITHIN_S,
    )  # fmt: skip
    assert done.returncode != 0
    assert b"alert protocol version" in done.stderr


@pytest.mark.parametrize("name", ["nobody", "expired", "strange"])
def test_only_certificates_that_are_believed_come_in(doors: Doors, certificates: Certificates, name: str) -> None:
    context = doors.trusting()
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # the refusal comes with the handshake
    if name == "expired":
        context.load_cert_chain(certificates.file(name, since_days=30, days=10))
    elif name == "strange":
        context.load_cert_chain(Certificates(certificates.folder / "others").file(name))
    with doors.connect("MUTUAL") as sock, pytest.raises((ssl.SSLError, ConnectionResetError)):
        context.wrap_socket(sock, server_hostname="localhost")
    welcome = doors.trusting()
    welcome.load_cert_chain(certificates.file("welcome"))
    with doors.connect("MUTUAL") as sock, welcome.wrap_socket(sock, server_hostname="localhost") as open_:
        open_.send(API_VERSIONS)
        assert len(open_.recv(10)) > 0


@pytest.mark.parametrize(
    "garbage", [b"\x16", b"\x16\x03\x01\xff\xff" + b"\0" * 70_000, b"\x16\x03\x01\x00\x05hello", b"\x16" * 3000]
)
def test_garbage_ends_its_own_connection_only(doors: Doors, garbage: bytes) -> None:
    with doors.connect("SSL") as sock:
        try:
            sock.sendall(garbage)
            said = all_of(sock)
        except (BrokenPipeError, ConnectionResetError):
            said = b""
    assert len(said) < 100, "an alert at most"
    assert doors.is_served()


def test_who_says_nothing_or_dribbles_is_closed_in_time(doors: Doors) -> None:
    before = doors.metric("penstock_tls_handshakes_late_total")
    with doors.connect("SSL") as silent, doors.connect("SSL") as dribbling:
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 400

        def dribble() -> None:
            try:
                for byte in hello:
                    dribbling.send(bytes([byte]))
                    time.sleep(0.01)
            except OSError:
                pass

        thread = threading.Thread(target=dribble)
        thread.start()
        assert all_of(silent) == b""
        assert all_of(dribbling) == b""
        thread.join()
    assert doors.metric("penstock_tls_handshakes_late_total") >= before + 2


def test_half_open_connections_are_bounded_and_others_are_served(doors: Doors) -> None:
    before = doors.metric("penstock_tls_handshakes_pushed_out_total")
    with ExitStack() as opened:
        for number in range(4 * HALF_OPEN_MAX):
            sock = opened.enter_context(doors.connect("SSL"))
            if number % 2:
                sock.send(b"\x16\x03\x01")
            if number % HALF_OPEN_MAX == 0:
                assert doors.is_served()
        assert doors.metric("penstock_tls_handshakes_half_open") <= HALF_OPEN_MAX
        assert doors.is_served()
        pushed_out = doors.metric("penstock_tls_handshakes_pushed_out_total") - before
        late = doors.metric("penstock_tls_handshakes_late_total")
    assert pushed_out + late >= 3 * HALF_OPEN_MAX
    until(lambda: doors.metric("penstock_tls_handshakes_half_open") == 0)


def revoking(certificates: Certificates, *names: str) -> bytes:
    """The authority's list, with the certificates of these files on it."""
    key = load_pem_private_key(certificates.identity.key, None)
    issuer = x509.load_pem_x509_certificate(certificates.identity.certificate)
    now = datetime.now(UTC)
    builder = x509.CertificateRevocationListBuilder().issuer_name(issuer.subject)
    builder = builder.last_update(now - timedelta(hours=1)).next_update(now + timedelta(days=30))
    for name in names:
        revoked = x509.load_pem_x509_certificate((certificates.folder / f"{name}.pem").read_bytes())
        one = x509.RevokedCertificateBuilder().serial_number(revoked.serial_number)
        builder = builder.add_revoked_certificate(one.revocation_date(now - timedelta(hours=1)).build())
    assert isinstance(key, EllipticCurvePrivateKey)
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def test_a_revoked_certificate_is_refused_from_when_the_list_says_so(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path / "tls")
    for name in ("stolen", "lost", "kept"):
        certificates.file(name)
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(certificates.authority.read_bytes() + revoking(certificates, "stolen"))
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SSL://127.0.0.1:{port}",
        "ssl.client.auth": "required",
        "penstock.tls.reload.ms": "100",
        **certificates.of_broker(ssl_truststore_location=str(trusted)),
    }

    def comes_in(name: str) -> bool:
        context = ssl.create_default_context(cafile=str(certificates.authority))
        context.load_cert_chain(certificates.folder / f"{name}.pem")
        try:
            request = ApiVersionsRequest("tls", "1")
            ask(f"127.0.0.1:{port}", request, ApiVersionsResponse, version=3, timeout_s=WITHIN_S, tls=context)
        except OSError:
            return False
        return True

    with penstock.testing.broker(settings):
        assert [name for name in ("stolen", "lost", "kept") if comes_in(name)] == ["lost", "kept"]
        renewed = trusted.with_suffix(".new")
        renewed.write_bytes(certificates.authority.read_bytes() + revoking(certificates, "stolen", "lost"))
        renewed.replace(trusted)
        until(lambda: not comes_in("lost"))
        assert comes_in("kept") and not comes_in("stolen")


def test_who_is_in_is_served_while_others_shake_hands_as_fast_as_they_can(doors: Doors) -> None:
    stop, made = threading.Event(), Counter[str]()
    context = doors.trusting()

    def shake_hands() -> None:
        while not stop.is_set():
            try:
                with doors.connect("SSL") as sock, context.wrap_socket(sock, server_hostname="localhost"):
                    made["handshakes"] += 1
            except OSError:
                made["refused"] += 1

    with doors.connect("SSL") as sock, context.wrap_socket(sock, server_hostname="localhost") as served:
        threads = [threading.Thread(target=shake_hands) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(200):
                ask_over(served, ApiVersionsRequest("tls", "1"), ApiVersionsResponse, version=3)
            until(lambda: made["handshakes"] > 50)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        ask_over(served, ApiVersionsRequest("tls", "1"), ApiVersionsResponse, version=3)
