"""The web process that `penstock up` starts: found, passed on to, started again, and never in the broker's way."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.support.faults import eventually

from penstock.cli.exits import ExitCode
from penstock.client import Client

PATIENCE_S = 180.0


class Up:
    def __init__(self, process: subprocess.Popen[bytes], output: Path) -> None:
        self.process = process
        self._output = output

    def said(self) -> str:
        return self._output.read_text()

    def line(self, name: str) -> str:
        found = re.search(rf"^  {name} +(.*)$", self.said(), re.MULTILINE)
        assert found, self.said()
        return found[1]

    @property
    def bootstrap(self) -> str:
        found = re.search(r"Penstock listens on (\S+)|^  bootstrap +(\S+)$", self.said(), re.MULTILINE)
        assert found, self.said()
        return found[1] or found[2]

    def web_pid(self) -> int:
        for folder in Path("/proc").iterdir():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                command = (folder / "cmdline").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
            if parent == self.process.pid and b"web" in command:
                return int(folder.name)
        return -1


@contextmanager
def up(folder: Path, *options: str, **environment: str) -> Iterator[Up]:
    output = folder.parent / f"{folder.name}.out"
    command = [sys.executable, "-P", "-m", "penstock.cli", "up", "--data", str(folder), "--port", "0"]
    command += ["--http-port", "0", *options]
    without = {name: value for name, value in os.environ.items() if name != "PENSTOCK_WEB_LISTENER"}
    with open(output, "wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=without | environment, start_new_session=True)
    running = Up(process, output)
    try:
        eventually(lambda: "Try, in another" in running.said() or process.poll() is not None, "up", within_s=PATIENCE_S)
        assert process.poll() is None, running.said()
        yield running
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def is_gone(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True


def cluster_id(url: str) -> str:
    found: str = httpx.get(f"{url}/v3/clusters", timeout=PATIENCE_S).json()["data"][0]["cluster_id"]
    return found


def test_up_has_a_web_process_that_ends_with_it(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--web-port", "0") as running:
        url = running.line("web")
        with Client(running.bootstrap) as client:
            assert cluster_id(url) == client.describe_cluster().cluster_id
        assert httpx.get(f"{url}/ready", timeout=PATIENCE_S).json() == {"status": "ready"}
        assert httpx.get(f"{url}/health", timeout=PATIENCE_S).json()["status"] == "ok"
        assert "penstock_log_flushes_total" in httpx.get(f"{url}/metrics", timeout=PATIENCE_S).text
        pid = running.web_pid()
        assert int(Path(f"/proc/{pid}/oom_score_adj").read_text()) >= 500  # before the broker, it goes
        running.process.terminate()
        assert running.process.wait(PATIENCE_S) == ExitCode.OK
        assert is_gone(pid)


def test_a_web_process_that_is_killed_comes_back_where_it_was(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--web-port", "0") as running:
        url = running.line("web")
        before = cluster_id(url)
        os.kill(pid := running.web_pid(), signal.SIGKILL)
        eventually(lambda: is_gone(pid), "it is gone")
        assert cluster_id(url) == before  # who asks meanwhile waits
        assert running.web_pid() != pid and "web process ended unasked" in running.said()


def test_a_broker_that_is_killed_takes_its_web_process_along(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--web-port", "0") as running:
        cluster_id(running.line("web"))
        pid = running.web_pid()
        running.process.kill()
        running.process.wait()
        eventually(lambda: is_gone(pid), "its web process ends too", within_s=PATIENCE_S)


def test_a_port_that_is_taken_costs_the_web_process_alone(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with up(tmp_path / "data", "--web-port", str(port)) as running:
            assert running.line("web").startswith(f"off: 127.0.0.1:{port} cannot be had")
            with Client(running.bootstrap) as client:
                assert client.describe_cluster().brokers
            assert running.web_pid() == -1


@pytest.mark.parametrize(
    ("options", "environment"), [(["--no-web"], {}), ([], {"PENSTOCK_WEB_LISTENER": ""})], ids=["option", "variable"]
)
def test_none_is_started_where_none_is_wanted(tmp_path: Path, options: list[str], environment: dict[str, str]) -> None:
    with up(tmp_path / "data", *options, **environment) as running:
        assert running.line("web") == "off" and running.web_pid() == -1


def test_one_that_cannot_run_leaves_the_broker_running(tmp_path: Path) -> None:
    """Its packages look as if they were there, and are broken."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "uvicorn.py").write_text("raise ImportError('not today')")
    with up(tmp_path / "data", "--web-port", "0", PYTHONPATH=str(broken)) as running:
        url = running.line("web")
        eventually(lambda: "no web process any more" in running.said(), "it is said", within_s=PATIENCE_S)
        with pytest.raises(httpx.ConnectError):
            httpx.get(url)
        with Client(running.bootstrap) as client:
            assert client.describe_cluster().brokers


def test_a_cluster_has_one_for_all_brokers(tmp_path: Path) -> None:
    with up(tmp_path / "cluster", "--brokers", "2", "--web-port", "0") as running:
        url = running.line("web")
        found = httpx.get(f"{url}/v3/clusters/{cluster_id(url)}/brokers", timeout=PATIENCE_S).json()["data"]
        assert [each["broker_id"] for each in found] == [1, 2]
        pid = running.web_pid()
        running.process.terminate()
        assert running.process.wait(PATIENCE_S) == ExitCode.OK
        assert is_gone(pid)
