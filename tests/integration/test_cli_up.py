"""penstock up as a person and a service manager meet it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import Penstock

from penstock.cli.exits import ExitCode

READY_TIMEOUT_S = 120


@contextmanager
def penstock_up(folder: Path, *options: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "penstock.cli", "up", "--data", str(folder), "--http-port", "0", *options]
    if "--port" not in options:
        command += ["--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def addresses_of(process: "subprocess.Popen[str]", folder: Path) -> dict[str, Any]:
    """Where it listens, once it does."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        try:
            addresses: dict[str, Any] = json.loads((folder / "penstock.addresses.json").read_bytes())
        except (FileNotFoundError, ValueError):
            addresses = {}
        if addresses.get("pid") == process.pid:
            return addresses
        time.sleep(0.02)
    raise AssertionError("not ready")


def banner_of(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "topic describe" in line:
            break
    return "".join(lines)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_listens_and_stops_cleanly_when_asked(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "data"
    with penstock_up(folder) as process:
        addresses = addresses_of(process, folder)
        banner = banner_of(process)
        assert f"Penstock listens on {addresses['listeners']['PLAINTEXT']}" in banner
        assert f"data     {folder}" in banner
        with urllib.request.urlopen(f"http://{addresses['http']}/ready") as answer:
            assert answer.status == 200
        process.send_signal(number)
        assert process.wait(60) == ExitCode.OK
    assert (folder / ".kafka_cleanshutdown").exists()


def test_a_second_start_goes_on_with_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    for value in ("first", "second"):
        with penstock_up(folder) as process:
            bootstrap = addresses_of(process, folder)["listeners"]["PLAINTEXT"]
            penstock = Penstock(bootstrap, monkeypatch, capfd)
            assert penstock("produce", "greetings", stdin=value + "\n").code == ExitCode.OK
            read = penstock("consume", "greetings").out
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == ExitCode.OK
    assert read == "first\nsecond\n"


def test_a_port_that_is_taken_is_said_with_advice(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with penstock_up(tmp_path / "data", "--port", port) as process:
            _, err = process.communicate(timeout=READY_TIMEOUT_S)
    assert process.returncode == ExitCode.FAILED
    assert "cannot listen" in err and port in err and "--port" in err and "Traceback" not in err


def test_an_address_of_no_machine_is_said_with_advice(tmp_path: Path) -> None:
    with penstock_up(tmp_path / "data", "--host", "no-such-host.invalid") as process:
        _, err = process.communicate(timeout=READY_TIMEOUT_S)
    assert process.returncode == ExitCode.FAILED
    assert "cannot listen" in err and "no-such-host.invalid" in err and "every interface" in err


def test_the_log_tells_of_topics_and_of_the_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    with penstock_up(folder, "--log-format", "json") as process:
        penstock = Penstock(addresses_of(process, folder)["listeners"]["PLAINTEXT"], monkeypatch, capfd)
        penstock("topic", "create", "orders", "-p", "2")
        penstock("topic", "alter", "orders", "-s", "retention.ms=1000")
        penstock("topic", "add-partitions", "orders", "--to", "3")
        penstock("topic", "delete", "orders", "-y")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=READY_TIMEOUT_S)
    events = [json.loads(line) for line in err.splitlines()]
    told = [(event["event"], event.get("topic") or event.get("name") or event.get("signal")) for event in events]
    wanted = [
        ("listening", None),
        ("topic created", "orders"),
        ("settings changed", "orders"),
        ("partitions added", "orders"),
        ("topic deleted", "orders"),
        ("stopping", "SIGTERM"),
        ("broker stopped", None),
    ]
    assert [each for each in told if each in wanted] == wanted


def test_a_folder_in_use_by_another_broker_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with penstock_up(folder) as first:
        addresses_of(first, folder)
        with penstock_up(folder) as second:
            _, err = second.communicate(timeout=READY_TIMEOUT_S)
        assert second.returncode == ExitCode.FAILED
        assert str(folder) in err and "Traceback" not in err
        assert first.poll() is None


def test_a_folder_of_another_broker_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with penstock_up(folder, "--set", "node.id=1") as first:
        addresses_of(first, folder)
        first.send_signal(signal.SIGTERM)
        assert first.wait(60) == ExitCode.OK
    with penstock_up(folder, "--set", "node.id=2") as second:
        _, err = second.communicate(timeout=READY_TIMEOUT_S)
    assert second.returncode == ExitCode.FAILED
    assert str(folder) in err and "Traceback" not in err


def test_settings_come_from_file_variables_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, file = tmp_path / "data", tmp_path / "broker.properties"
    file.write_text("num.partitions=2\nlog.retention.ms=1000000\nlog.segment.bytes=2000000\n")
    options = ["--config", str(file), "--set", "log.segment.bytes=4000000"]
    with penstock_up(folder, *options, PENSTOCK_LOG_RETENTION_MS="2000000") as process:
        bootstrap = addresses_of(process, folder)["listeners"]["PLAINTEXT"]
        penstock = Penstock(bootstrap, monkeypatch, capfd)
        penstock("topic", "create", "t")
        (described,) = json.loads(penstock("topic", "describe", "t", "--json").out)
    values = {s["name"]: s["value"] for s in described["settings"]}
    assert len(described["partitions"]) == 2
    assert (values["retention.ms"], values["segment.bytes"]) == ("2000000", "4000000")


def test_systemd_is_told_when_it_is_ready(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(READY_TIMEOUT_S)
        with penstock_up(tmp_path / "data", "--quiet", NOTIFY_SOCKET=path) as process:
            assert manager.recv(100).splitlines() == [b"READY=1", b"STATUS=ready"]
            process.send_signal(signal.SIGTERM)
            assert manager.recv(100) == b"STOPPING=1"
            assert process.wait(60) == ExitCode.OK


def test_the_running_broker_loads_neither_client_library_nor_rich(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with penstock_up(folder) as process:
        addresses_of(process, folder)
        mapped = Path(f"/proc/{process.pid}/maps").read_text()
    assert "confluent_kafka" not in mapped and "librdkafka" not in mapped
