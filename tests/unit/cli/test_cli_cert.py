"""`penstock cert show`: of files, and of what listens."""

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.transport.certificates import issue, make_authority, write_identity

NOW = datetime.now(UTC)


def write(path: Path, *, now: datetime = NOW, days: int = 100) -> Path:
    authority = make_authority("test authority", now=now)
    both = issue(authority, "broker", now=now, hosts=("localhost", "127.0.0.1"), days=days)
    write_identity(both, certificate=path, key=path)
    return path


def test_a_file_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "broker.pem")
    assert run(["cert", "show", str(file), "--json"]) == ExitCode.OK
    own, authority = json.loads(capsys.readouterr().out)
    assert own["subject"] == "CN=broker" and own["issuer"] == authority["subject"] == "CN=test authority"
    assert own["names"] == ["localhost", "127.0.0.1"] and 99 < own["days_left"] <= 100
    assert (own["authority"], authority["authority"]) == (False, True) and len(own["sha256"]) == 64
    assert run(["cert", "show", str(file)]) == ExitCode.OK
    assert "localhost, 127.0.0.1" in capsys.readouterr().out


def test_one_that_has_expired_is_exit_code_1(tmp_path: Path) -> None:
    file = write(tmp_path / "broker.pem", now=NOW - timedelta(days=200))
    assert run(["cert", "show", str(file)]) == ExitCode.FAILED


@pytest.mark.parametrize("text", ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "\0" * 100])
def test_a_file_with_something_else(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.pem").write_text(text)
    assert run(["cert", "show", str(tmp_path / "x.pem")]) == ExitCode.FAILED
    assert "no certificate" in capsys.readouterr().err
    assert run(["cert", "show", str(tmp_path / "missing.pem")]) == ExitCode.FAILED


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """It shakes hands with each who comes, and closes."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(write(tmp_path / "served.pem"))
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def serve() -> None:
            while True:
                try:
                    peer = listening.accept()[0]
                except OSError:
                    return
                with suppress(OSError), context.wrap_socket(peer, server_side=True) as secured:
                    secured.recv(1)

        thread = Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_what_a_broker_shows(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cert", "show", server, "--json"]) == ExitCode.OK
    (shown,) = json.loads(capsys.readouterr().out)
    assert shown["subject"] == "CN=broker" and shown["where"] == server


def test_nobody_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cert", "show", "127.0.0.1:1"]) == ExitCode.UNREACHABLE
    assert "cannot connect" in capsys.readouterr().err
