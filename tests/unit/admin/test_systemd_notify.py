"""Readiness, as systemd hears it."""

import socket
from pathlib import Path

import pytest

from penstock.admin.systemd import READY, STOPPING, notify


def test_states_arrive_at_the_notify_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        assert notify(READY, "STATUS=serving", environment={"NOTIFY_SOCKET": path})
        assert systemd.recv(100) == b"READY=1\nSTATUS=serving"


def test_an_abstract_socket_is_found(tmp_path: Path) -> None:
    name = f"penstock-test-{tmp_path.name}-{id(tmp_path)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind("\0" + name)
        assert notify(STOPPING, environment={"NOTIFY_SOCKET": "@" + name})
        assert systemd.recv(100) == b"STOPPING=1"


def test_without_systemd_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not notify(READY, environment={})
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify(READY)
    assert not notify(READY, environment={"NOTIFY_SOCKET": str(tmp_path / "gone")})
