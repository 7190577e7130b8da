"""A broker that is started before its etcd: it waits, says so, and starts when etcd comes."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.test_cli_up import addresses_of, penstock_up

from penstock.cli.exits import ExitCode
from penstock.processes.etcd import EtcdCluster

WAITS = "start waits for the metadata store"


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdCluster]:
    """Not started yet."""
    made = EtcdCluster(tmp_path / "etcd")
    yield made
    made.stop()


def next_line(process: "subprocess.Popen[str]", containing: str) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if containing in line:
            return line
    raise AssertionError(f"ended without {containing!r}")


def test_it_waits_says_what_for_and_starts_when_etcd_comes(tmp_path: Path, etcd: EtcdCluster) -> None:
    folder, manager = tmp_path / "data", tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(manager))
        systemd.settimeout(60)
        settings = ("--set", f"penstock.etcd.endpoints={etcd.endpoints}")
        with penstock_up(folder, *settings, NOTIFY_SOCKET=str(manager)) as process:
            next_line(process, WAITS)
            assert etcd.endpoints in next_line(process, WAITS), "whom it waits for"
            told = systemd.recv(4096).decode()
            assert "STATUS=waiting for the metadata store" in told and "EXTEND_TIMEOUT_USEC=" in told
            etcd.start()
            assert addresses_of(process, folder)["listeners"]
            while "READY=1" not in systemd.recv(4096).decode():
                pass
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == ExitCode.OK


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_waits_can_be_stopped_and_every_line_is_json(
    tmp_path: Path, etcd: EtcdCluster, number: signal.Signals
) -> None:
    settings = ("--set", f"penstock.etcd.endpoints={etcd.endpoints}", "--log-format", "json")
    with penstock_up(tmp_path / "data", *settings) as process:
        lines = [next_line(process, WAITS)]
        process.send_signal(number)
        out, rest = process.communicate(timeout=60)
        assert process.returncode == ExitCode.OK and out == ""
    lines += rest.splitlines()
    assert [json.loads(line)["event"] for line in lines][-2:] == ["stopping", "broker stopped"]


@pytest.mark.parametrize(
    "given",
    [
        {"--set": "num.partitions=none"},  # the settings are wrong
        {"--set": "penstock.etcd.endpoints=http://:1:2:3"},  # the broker cannot run
        {"--host": "203.0.113.1"},  # it cannot listen
    ],
)
@pytest.mark.parametrize("where", ["option", "variable", "file"])
def test_the_last_words_of_a_start_that_fails_are_json_too(tmp_path: Path, given: dict[str, str], where: str) -> None:
    options = [text for pair in given.items() for text in pair]
    if where == "file":
        (tmp_path / "penstock.properties").write_text("penstock.log.format=json\nzookeeper.connect=a:1\n")
        options += ["--config", str(tmp_path / "penstock.properties")]
    elif where == "option":
        options += ["--log-format", "json"]
    variables = {"PENSTOCK_LOG_FORMAT": "json"} if where == "variable" else {}
    with penstock_up(tmp_path / "data", *options, **variables) as process:
        out, lines = process.communicate(timeout=60)
        assert process.returncode == ExitCode.FAILED and out == ""
    last = [json.loads(line) for line in lines.splitlines()][-1]
    assert last["level"] == "error" and last["reason"]
