"""The pieces of a local cluster that need no broker: who it consists of, ports, and whether a pid is who it was."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest

from penstock.cli.exits import ExitCode, Failure, NotFound
from penstock.cli.local.plan import UpOptions, planned, settings_for_all
from penstock.cli.local.state import (
    BrokerState,
    ClusterState,
    EtcdState,
    locked,
    read_state,
    running_state,
    write_state,
)
from penstock.cli.program import run
from penstock.processes.child import ended_how
from penstock.processes.record import ProcessRecord


def a_cluster(*, brokers: int = 3, etcd: int = 1) -> ClusterState:
    return ClusterState(
        brokers=[BrokerState(number, f"127.0.0.1:{20_000 + number}") for number in range(1, brokers + 1)],
        etcd=[EtcdState(f"etcd{number}", "127.0.0.1", 0, 0, 0) for number in range(1, etcd + 1)],
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    state = a_cluster()
    state.brokers[1].process = ProcessRecord(17, "then")
    write_state(tmp_path, state)
    assert read_state(tmp_path) == state
    assert read_state(tmp_path / "elsewhere") is None


def test_a_start_that_fails_leaves_no_folder_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        folder = tmp_path / "of" / "mine"
        assert run(["up", "--brokers", "3", "--data", str(folder), "--port", port]) == ExitCode.FAILED
        assert "another program has the port" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
        folder.mkdir(parents=True)
        (folder / "notes").write_text("mine")
        assert run(["up", "--brokers", "3", "--data", str(folder), "--port", port]) == ExitCode.FAILED
        assert (folder / "notes").read_text() == "mine"


def test_a_folder_stays_where_there_is_a_cluster(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    with locked(folder):
        write_state(folder, a_cluster())
    assert read_state(folder) == a_cluster()


def test_a_cluster_that_does_not_run_is_not_found_with_advice(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no local cluster"):
        running_state(tmp_path)
    state = a_cluster()
    state.supervisor = ProcessRecord(os.getpid(), "another life of this pid")
    write_state(tmp_path, state)
    with pytest.raises(NotFound, match="does not run"):
        running_state(tmp_path)
    state.supervisor = ProcessRecord.of(os.getpid())
    write_state(tmp_path, state)
    assert running_state(tmp_path) == state


def test_members_are_known_by_id_and_by_name() -> None:
    state = a_cluster()
    assert state.member("2") is state.member("broker-2") is state.brokers[1]
    assert state.member("etcd1") is state.etcd[0]
    with pytest.raises(NotFound, match="1, 2, 3, etcd1"):
        state.member("etcd2")


def test_a_pid_is_followed_from_running_to_paused_to_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        record = ProcessRecord.of(process.pid)
        assert record.state == "running"
        assert record.send(signal.SIGSTOP) and record.wait_for("paused", within_s=30)
        assert record.send(signal.SIGCONT) and record.wait_for("running", within_s=30)
        assert record.send(signal.SIGKILL) and record.wait_for(None, within_s=30)
        assert not record.send(signal.SIGKILL)
    assert record.state is None


def test_programs_are_told_to_whom_it_was_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        state = a_cluster()
        state.supervisor = ProcessRecord.of(os.getpid())
        state.brokers[1].process = ProcessRecord.of(process.pid)
        write_state(tmp_path, state)
        for command, outcome in (("pause", "paused"), ("resume", "resumed"), ("kill", "killed")):
            assert run(["local", command, "2", "--json", "--data", str(tmp_path)]) == ExitCode.OK
            told = json.loads(capsys.readouterr().out)
            assert told == {"member": "broker-2", "outcome": outcome, "pid": process.pid}
    assert run(["local", "kill", "2", "--json", "--data", str(tmp_path)]) == ExitCode.FAILED
    told = capsys.readouterr()
    assert told.out == "" and f"`penstock local restart 2 --data {tmp_path}` starts it" in told.err


def test_a_pid_that_another_process_has_now_gets_no_signal() -> None:
    assert ProcessRecord.of(os.getpid()).state == "running"
    somebody_before = ProcessRecord(os.getpid(), "100@another boot")
    assert somebody_before.state is None
    assert not somebody_before.send(signal.SIGTERM)


def test_a_folder_is_locked_by_one_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(Failure, match="runs in"), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_ports_follow_the_first_and_one_that_is_taken_becomes_any(tmp_path: Path) -> None:
    while True:
        base = free_port()
        if base > 65_000:
            continue
        try:
            with socket.create_server(("127.0.0.1", base + 1)):
                plan = planned(UpOptions(folder=tmp_path, brokers=3, port=base, has_http=False))
        except OSError:
            continue
        break
    listeners = [broker.listener for broker in plan.brokers]
    assert listeners[:2] == [f"127.0.0.1:{base}", "127.0.0.1:0"]
    assert listeners[2] in (f"127.0.0.1:{base + 2}", "127.0.0.1:0")
    assert [broker.http for broker in plan.brokers] == ["", "", ""]


def test_the_first_brokers_port_must_be_free(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Failure, match=f"cannot listen on 127.0.0.1:{port}"):
            planned(UpOptions(folder=tmp_path, brokers=1, port=port))


def test_the_next_start_keeps_addresses_and_gives_a_new_broker_one(tmp_path: Path) -> None:
    before = a_cluster(brokers=2)
    for broker in before.brokers:
        broker.listener = f"127.0.0.1:{free_port()}"
    write_state(tmp_path, before)
    plan = planned(UpOptions(folder=tmp_path, brokers=3, port=0, has_http=False))
    assert [broker.listener for broker in plan.brokers] == [*(b.listener for b in before.brokers), "127.0.0.1:0"]
    port = int(before.brokers[0].listener.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)), pytest.raises(Failure, match="as this cluster did before"):
        planned(UpOptions(folder=tmp_path, brokers=2))


def test_a_cluster_loses_no_member_by_a_number_on_the_command_line(tmp_path: Path) -> None:
    write_state(tmp_path, a_cluster(brokers=3, etcd=3))
    with pytest.raises(Failure, match="has 3 brokers"):
        planned(UpOptions(folder=tmp_path, brokers=2))
    with pytest.raises(Failure, match="has 3 etcd"):
        planned(UpOptions(folder=tmp_path, brokers=3, etcd=1))
    with pytest.raises(Failure, match="without --networks"):
        planned(UpOptions(folder=tmp_path, brokers=3, networks=True))


def test_the_folder_of_a_single_broker_is_no_place_for_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").touch()
    with pytest.raises(Failure, match="single broker"):
        planned(UpOptions(folder=tmp_path, brokers=3))


@pytest.mark.parametrize("name", ["node.id", "listeners", "log.dirs", "penstock.etcd.endpoints"])
def test_what_each_broker_has_for_itself_cannot_be_set_for_all(name: str) -> None:
    with pytest.raises(click.UsageError, match=name):
        settings_for_all({"num.partitions": "3", name: "1"})


def test_an_end_is_told_in_words() -> None:
    assert ended_how(-9) == "killed by SIGKILL"
    assert ended_how(1) == "left with exit code 1"


def test_a_cluster_stays_secured_and_an_open_one_open(tmp_path: Path) -> None:
    secured = planned(UpOptions(folder=tmp_path / "a", brokers=3, port=0, http_port=0, secure=True))
    assert secured.is_secure and all(broker.among_brokers for broker in secured.brokers)
    (tmp_path / "a").mkdir()
    write_state(tmp_path / "a", secured)
    assert planned(UpOptions(folder=tmp_path / "a", brokers=3, port=0, http_port=0)).is_secure
    (tmp_path / "b").mkdir()
    write_state(tmp_path / "b", a_cluster())
    with pytest.raises(Failure, match="without --secure"):
        planned(UpOptions(folder=tmp_path / "b", brokers=3, secure=True))


def test_a_single_broker_is_secured_by_init(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["up", "--secure"]) == ExitCode.USAGE
    assert "penstock init --secure" in capsys.readouterr().err
