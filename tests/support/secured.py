"""A broker as `penstock init --secure` makes it, on free ports, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.kafka import free_ports

from penstock.processes.secured import SecureFolder

READY_WITHIN_S = 120.0
COMMAND = (sys.executable, "-m", "penstock.cli")


def environment() -> dict[str, str]:
    """Ours, without what the command would take for its own; and without a web process beside the broker."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
    return ours | {"PENSTOCK_WEB_LISTENER": ""}


def two_free_ports() -> int:
    """The first of two that follow each other."""
    for _ in range(100):
        for port in free_ports(1):
            with socket.socket() as probe:
                try:
                    probe.bind(("127.0.0.1", port + 1))
                    return port
                except OSError:
                    continue
    raise AssertionError("no two ports in a row are free")


@contextmanager
def secured_broker(folder: Path, *options: str) -> Iterator[SecureFolder]:
    subprocess.run([*COMMAND, "init", "--secure", "--dir", str(folder), "--port", str(two_free_ports())], check=True)
    with broker_up(SecureFolder(folder), *options):
        yield SecureFolder(folder)


@contextmanager
def broker_up(made: SecureFolder, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [*COMMAND, "up", "--config", str(made.settings), "--http-port", "0", *options]
    with (made.path / "broker.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment())
    try:
        deadline = time.monotonic() + READY_WITHIN_S
        while not _is_ready(made, process.pid):
            assert process.poll() is None and time.monotonic() < deadline, (made.path / "broker.log").read_text()
            time.sleep(0.02)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(60)


def _is_ready(made: SecureFolder, pid: int) -> bool:
    try:
        told = json.loads((made.data / "penstock.addresses.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return False
    return bool(told["pid"] == pid)
