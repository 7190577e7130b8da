"""`penstock up --brokers 3 --secure`: nobody without a login or a certificate gets anywhere, to brokers nor to etcd."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import PATIENCE_S, Penstock
from tests.support.faults import eventually
from tests.support.secured import COMMAND, environment

from penstock.cli import profiles
from penstock.cli.exits import ExitCode
from penstock.cli.local.cluster import SECURED_FOLDER
from penstock.cli.local.state import ClusterState, read_state
from penstock.processes.secured import SecureFolder


@contextmanager
def cluster_up(folder: Path) -> Iterator[ClusterState]:
    options = ("--brokers", "3", "--secure", "--data", str(folder), "--port", "0", "--http-port", "0")
    with (folder.parent / "up.log").open("ab+") as log:
        log.truncate(0)
        process = subprocess.Popen([*COMMAND, "up", *options], stdout=log, stderr=log, env=environment())
        try:

            def is_up() -> bool:
                assert process.poll() is None, (folder.parent / "up.log").read_text()
                return "local restart" in (folder.parent / "up.log").read_text()

            eventually(is_up, "the cluster is up")
            state = read_state(folder)
            assert state is not None
            yield state
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secured") / "cluster"


@pytest.fixture(scope="module")
def state(folder: Path) -> Iterator[ClusterState]:
    with cluster_up(folder):
        pass
    with cluster_up(folder) as state:  # the second start finds what the first one made
        yield state


@pytest.fixture
def made(folder: Path) -> SecureFolder:
    return SecureFolder(folder / SECURED_FOLDER)


@pytest.fixture
def penstock(
    state: ClusterState, made: SecureFolder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Penstock:
    monkeypatch.setenv(profiles.VARIABLE, str(made.profile))
    return Penstock("127.0.0.1:1", monkeypatch, capfd)


def first_bytes(address: str, context: ssl.SSLContext | None) -> bytes:
    """What is answered to a request for all topics (Metadata v0); empty where the connection is closed."""
    host, _, port = address.rpartition(":")
    request = bytes.fromhex("000000120003000000000001ffff00000000")
    with socket.create_connection((host, int(port)), PATIENCE_S[1]) as plain:
        try:
            sock = plain if context is None else context.wrap_socket(plain, server_hostname=host)
            with sock:
                sock.sendall(len(request[4:]).to_bytes(4) + request[4:])
                return sock.recv(4)
        except (ssl.SSLError, ConnectionError):
            return b""


def test_records_are_written_and_read_while_a_broker_is_killed(
    penstock: Penstock, folder: Path, state: ClusterState
) -> None:
    assert penstock("topic", "create", "orders", "-p", "3", "-r", "3").code == ExitCode.OK
    assert penstock("produce", "orders", stdin="one\n").code == ExitCode.OK
    assert penstock("local", "kill", "2", "--data", str(folder)).code == ExitCode.OK
    assert penstock("produce", "orders", stdin="two\n").code == ExitCode.OK
    assert penstock("local", "restart", "2", "--data", str(folder)).code == ExitCode.OK

    def all_in_sync() -> bool:
        told: Any = json.loads(penstock("topic", "describe", "orders", "--json").out)
        return all(len(each["in_sync"]) == 3 for each in (told[0] if isinstance(told, list) else told)["partitions"])

    eventually(all_in_sync, "the broker that was killed caught up")
    assert sorted(penstock("consume", "orders").out.split()) == ["one", "two"]


def test_users_are_known_to_every_broker(penstock: Penstock, state: ClusterState, tmp_path: Path) -> None:
    login = tmp_path / "alice.properties"
    assert penstock("user", "add", "alice", "--generate", "--client-file", str(login)).code == ExitCode.OK

    def is_known_at(address: str) -> bool:
        return penstock("topic", "list", "--profile", str(login), "-b", address).code == ExitCode.OK

    eventually(lambda: all(is_known_at(broker.address) for broker in state.brokers), "she is known everywhere")


def test_nobody_gets_in_without_a_login_or_a_certificate(state: ClusterState, made: SecureFolder) -> None:
    believing = ssl.create_default_context(cafile=str(made.authority))
    for broker in state.brokers:
        for address in (broker.listener, broker.among_brokers):
            for context in (None, believing):
                assert first_bytes(address, context) == b"", f"{address} answers strangers"
        assert len(first_bytes(broker.among_brokers, made.by_certificate())) == 4


def test_etcd_asks_for_a_certificate_too(state: ClusterState, made: SecureFolder) -> None:
    (etcd,) = state.etcd
    believing = ssl.create_default_context(cafile=str(made.authority))

    def version(port: int, context: ssl.SSLContext | None) -> bytes:
        try:
            with socket.create_connection(("127.0.0.1", port), PATIENCE_S[1]) as plain:
                sock = plain if context is None else context.wrap_socket(plain, server_hostname="127.0.0.1")
                with sock:
                    sock.sendall(b"GET /version HTTP/1.0\r\nHost: etcd\r\n\r\n")
                    return sock.recv(12)
        except (ssl.SSLError, ConnectionError):
            return b""

    for port in (etcd.client_port, etcd.peer_port):
        for context in (None, believing):
            assert b"200" not in version(port, context)
        assert version(port, made.by_certificate()) == b"HTTP/1.0 200"


def test_brokers_settings_are_private_and_name_no_open_listener(folder: Path, state: ClusterState) -> None:
    for broker in state.brokers:
        file = folder / broker.name / "broker.properties"
        assert file.stat().st_mode & 0o077 == 0 and "PLAINTEXT" not in file.read_text()


def test_nobody_else_on_the_machine_reads_records(folder: Path, state: ClusterState) -> None:
    for broker in state.brokers:
        assert (folder / broker.name / "data").stat().st_mode & 0o077 == 0
