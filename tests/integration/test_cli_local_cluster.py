"""`penstock up --brokers N` and `penstock local ...` as programs: what they say, what they start, what they leave."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import PATIENT
from tests.support.faults import eventually

from penstock.cli.exits import ExitCode
from penstock.cli.local.state import ClusterState, read_state
from penstock.processes.networks import Networks, NetworksImpossible

READY_TIMEOUT_S = 180.0


def penstock(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "penstock.cli", *(str(argument) for argument in arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=READY_TIMEOUT_S, env={**os.environ, **environment}, check=False
    )


class LocalRun:
    """A `penstock up --brokers N` of a test, and what it said so far."""

    def __init__(self, folder: Path, process: "subprocess.Popen[bytes]", output: Path) -> None:
        self.folder = folder
        self.process = process
        self._output = output

    def said(self) -> str:
        return self._output.read_text()

    def state(self) -> ClusterState:
        state = read_state(self.folder)
        assert state is not None
        return state

    def bootstrap(self) -> str:
        return ",".join(broker.address for broker in self.state().brokers)

    def local(self, command: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        done = penstock("local", command, *arguments, "--data", self.folder)
        assert done.returncode == ExitCode.OK, done.stderr
        return done

    def members(self) -> dict[str, dict[str, Any]]:
        return {row["member"]: row for row in json.loads(self.local("status", "--json").stdout)}

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(READY_TIMEOUT_S) == ExitCode.OK, self.said()


@contextmanager
def up(folder: Path, *options: str, brokers: int = 3) -> Iterator[LocalRun]:
    output = folder.parent / f"{folder.name}-{time.monotonic_ns()}.out"
    ports = [] if "--port" in options else ["--port", "0", "--http-port", "0"]
    command = [sys.executable, "-m", "penstock.cli", "up", "--brokers", str(brokers), "--data", str(folder)]
    with open(output, "wb") as file:
        process = subprocess.Popen([*command, *ports, *options], stdout=file, stderr=file, start_new_session=True)
    run = LocalRun(folder, process, output)
    try:
        eventually(lambda: "Try, in another terminal" in run.said() or process.poll() is not None, "it is up")
        assert process.poll() is None, run.said()
        yield run
        run.stop()
    finally:
        if process.poll() is None:
            process.kill()  # its guards end the rest
            process.wait()


def test_a_cluster_is_told_of_and_found_again_with_its_topics(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    with up(folder) as first:
        members = first.members()
        assert set(members) == {"broker-1", "broker-2", "broker-3", "etcd1"}
        assert {row["state"] for row in members.values()} == {"running"}
        assert f"bootstrap  {first.bootstrap()}" in first.said()
        options = ("-p", "3", "--replication-factor", "3", "-b", first.bootstrap(), *PATIENT)
        created = penstock("topic", "create", "orders", *options)
        assert created.returncode == ExitCode.OK, created.stderr
        addresses = first.bootstrap()
    assert first.state().supervisor is None
    assert all(broker.process is None for broker in first.state().brokers)
    stopped = [(folder / f"broker-{number}" / "broker.log").read_text() for number in (1, 2, 3)]
    assert all("broker stopped" in log for log in stopped)

    with up(folder) as second:
        assert second.bootstrap() == addresses
        described = penstock("topic", "describe", "orders", "--json", "-b", addresses, *PATIENT)
        assert len(json.loads(described.stdout)[0]["partitions"]) == 3

    fewer = penstock("up", "--brokers", "2", "--data", folder)
    assert fewer.returncode == ExitCode.FAILED and "has 3 brokers" in fewer.stderr
    alone = penstock("up", "--data", folder, "--port", "0", "--no-http")
    assert alone.returncode == ExitCode.FAILED and "holds a local cluster" in alone.stderr


def test_a_broker_that_is_killed_is_told_of_and_restarted_when_asked(tmp_path: Path) -> None:
    with up(tmp_path / "cluster") as run:
        pid = run.members()["broker-2"]["pid"]
        assert f"broker-2 (pid {pid}) killed" in run.local("kill", "2").stdout
        eventually(lambda: "killed by SIGKILL" in run.said(), "the death is told of")
        # Beside the banner, which names that command as well.
        eventually(lambda: "start it again with" in run.said(), "and what to do")
        assert "penstock local restart 2" in run.said().rpartition("start it again with")[2]
        assert run.members()["broker-2"]["state"] == "down"
        again = penstock("local", "kill", "2", "--data", run.folder)
        assert again.returncode == ExitCode.FAILED and "does not run" in again.stderr
        run.local("restart", "2")
        assert run.members()["broker-2"]["state"] == "running"
        assert run.members()["broker-2"]["pid"] != pid

        paused = json.loads(run.local("pause", "3", "--json").stdout)
        assert (paused["member"], paused["outcome"]) == ("broker-3", "paused")
        assert run.members()["broker-3"]["state"] == "paused"
        assert json.loads(run.local("resume", "3", "--json").stdout) == {**paused, "outcome": "resumed"}
        assert run.members()["broker-3"]["state"] == "running"

        before = run.said().count("ended unasked")
        restarted = json.loads(run.local("restart", "1", "--json").stdout)
        assert restarted == {"member": "broker-1", "outcome": "restarted", "pid": run.members()["broker-1"]["pid"]}
        run.local("restart", "etcd1")
        assert run.said().count("ended unasked") == before
        unknown = penstock("local", "kill", "7", "--data", run.folder)
        assert unknown.returncode == ExitCode.NOT_FOUND and "1, 2, 3, etcd1" in unknown.stderr


def test_with_restart_a_broker_that_died_comes_back_by_itself(tmp_path: Path) -> None:
    with up(tmp_path / "cluster", "--restart", brokers=1) as run:
        pid = run.members()["broker-1"]["pid"]
        run.local("kill", "1")
        eventually(lambda: "ready again" in run.said(), "it is back")
        assert run.members()["broker-1"]["pid"] not in (None, pid)


def test_nothing_outlives_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    with up(tmp_path / "cluster", brokers=2) as run:
        pids = [row["pid"] for row in run.members().values()]
        assert len(pids) == 3
        run.process.kill()
        run.process.wait()
        eventually(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids), "all are gone")
        gone = penstock("local", "status", "--data", run.folder)
        assert gone.returncode == ExitCode.NOT_FOUND and "does not run" in gone.stderr
        with up(run.folder, brokers=2) as again:  # and what it left is no hindrance
            assert {row["state"] for row in again.members().values()} == {"running"}
        run.stop = lambda: None  # type: ignore[method-assign]


def test_a_second_start_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with up(tmp_path / "cluster", brokers=1) as run:
        second = penstock("up", "--brokers", "1", "--data", run.folder, "--port", "0")
        assert second.returncode == ExitCode.FAILED and "runs in" in second.stderr
        cut = penstock("local", "partition", "1", "--data", run.folder)
        assert cut.returncode == ExitCode.FAILED and "--networks" in cut.stderr


def test_settings_for_all_go_to_each_and_those_of_one_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    refused = penstock("up", "--brokers", "2", "--data", folder, "--set", "node.id=4")
    assert refused.returncode == ExitCode.USAGE and "node.id" in refused.stderr
    with up(folder, "--set", "num.partitions=7", brokers=2):
        for number in (1, 2):
            lines = (folder / f"broker-{number}" / "broker.properties").read_text().splitlines()
            assert {"num.partitions=7", f"node.id={number}", "default.replication.factor=2"} <= set(lines)


def test_a_leader_that_is_cut_off_is_replaced_and_joins_again_when_healed(tmp_path: Path) -> None:
    try:
        with Networks(f"pw{os.getpid() % 100_000}", ["x"]):
            pass
    except NetworksImpossible as reason:
        pytest.fail(f"partitions cannot be tried here: {reason}")
    # Where a busy machine made a broker look dead, it gets back soon what it led.
    often = ("--set", "leader.imbalance.check.interval.seconds=5")
    with up(tmp_path / "cluster", "--networks", "--port", "9092", *often) as run:
        assert run.bootstrap().count(":9092") == 3
        options = ("-p", "3", "--replication-factor", "3", "-b", run.bootstrap(), *PATIENT)
        assert penstock("topic", "create", "orders", *options).returncode == ExitCode.OK

        def leaders() -> set[int]:
            others = ",".join(broker.address for broker in run.state().brokers if broker.id != 2)
            described = penstock("topic", "describe", "orders", "--json", "-b", others)
            found = json.loads(described.stdout)[0] if described.returncode == ExitCode.OK else {"partitions": []}
            return {partition["leader"] for partition in found["partitions"]}

        eventually(lambda: leaders() == {1, 2, 3}, "each leads one")
        told = run.local("partition", "2").stdout
        assert "broker-2 does not reach etcd1" in told and "broker-1 does not reach broker-2" in told
        assert run.members()["broker-2"]["cannot_reach"] == ["broker-1", "broker-3", "etcd1"]
        eventually(lambda: leaders() == {1, 3}, "others lead what it led")
        assert run.local("partition", "--heal", "1").stdout.startswith("broker-1 is healed\n")
        left = json.loads(run.local("partition", "2", "--from", "3", "--json").stdout)
        assert {"from": "broker-2", "to": "broker-3"} in left and {"from": "broker-2", "to": "etcd1"} in left
        assert json.loads(run.local("partition", "--heal", "--json").stdout) == []
        eventually(lambda: _in_sync(run) == {1, 2, 3}, "it is in sync again")


def _in_sync(run: LocalRun) -> set[int]:
    described = penstock("topic", "describe", "orders", "--json", "-b", run.bootstrap())
    if described.returncode != ExitCode.OK:
        return set()
    return set.intersection(*(set(each["in_sync"]) for each in json.loads(described.stdout)[0]["partitions"]))
