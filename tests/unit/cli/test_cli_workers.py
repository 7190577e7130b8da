"""What each of several brokers on a machine has for itself."""

import errno
import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from structlog.testing import capture_logs

from penstock.cli.exits import Failure
from penstock.cli.local.stopping import Stopping
from penstock.cli.workers.plan import WorkerPlan, planned
from penstock.cli.workers.serving import _watch
from penstock.cli.workers.worker import Worker
from penstock.settings import Config
from penstock.testing.orphans import GuardedProcesses
from penstock.testing.running import ADDRESSES_FILE

CLUSTER = {
    "penstock.workers": "3",
    "node.id": "10",
    "penstock.etcd.endpoints": "http://127.0.0.1:2379",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,IN:PLAINTEXT,OUT:PLAINTEXT",
}


def config_of(folder: Path, **more: str) -> Config:
    named = {name.replace("_", "."): value for name, value in more.items()}
    return Config.for_broker({**CLUSTER, "log.dirs": str(folder), **named})


def test_ids_ports_and_folders_are_counted_up(tmp_path: Path) -> None:
    config = config_of(
        tmp_path,
        listeners="IN://127.0.0.1:9092,OUT://[::1]:9192",
        advertised_listeners="OUT://queue.example:19192",
        penstock_http_listener="[::1]:8080",
    )
    plans = planned(config)
    assert [plan.id for plan in plans] == [10, 11, 12]
    assert plans[0].folder == tmp_path / "broker-10"
    assert plans[2].settings == {
        "penstock.workers": "1",
        "node.id": "12",
        "listeners": "IN://127.0.0.1:9094,OUT://[::1]:9194",
        "advertised.listeners": "OUT://queue.example:19194",
        "penstock.http.listener": "[::1]:8082",
        "log.dirs": str(tmp_path / "broker-12"),
    }


def test_ports_left_to_chance_stay_so_and_http_that_is_off_stays_off(tmp_path: Path) -> None:
    plans = planned(config_of(tmp_path, listeners="PLAINTEXT://127.0.0.1:0", penstock_http_listener=""))
    assert {plan.settings["listeners"] for plan in plans} == {"PLAINTEXT://127.0.0.1:0"}
    assert all("penstock.http.listener" not in plan.settings for plan in plans)


def test_every_data_folder_has_a_part_for_each(tmp_path: Path) -> None:
    plans = planned(config_of(tmp_path, log_dirs=f"{tmp_path}/a,{tmp_path}/b"))
    assert plans[1].settings["log.dirs"] == f"{tmp_path}/a/broker-11,{tmp_path}/b/broker-11"


def test_the_older_name_of_the_id_goes_along(tmp_path: Path) -> None:
    assert planned(config_of(tmp_path, broker_id="10"))[1].settings["broker.id"] == "11"


def test_several_without_etcd_are_no_cluster(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="several brokers are a cluster"):
        planned(config_of(tmp_path, penstock_etcd_endpoints=""))


def test_the_data_of_a_single_broker_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").touch()
    with pytest.raises(Failure, match="holds the data of a single broker") as caught:
        planned(config_of(tmp_path))
    assert str(tmp_path / "broker-10") in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("listeners", "http"),
    [
        ("IN://127.0.0.1:9092,OUT://127.0.0.1:9094", "127.0.0.1:8080"),
        ("IN://0.0.0.0:9094,OUT://127.0.0.1:9092", "127.0.0.1:8080"),
        ("IN://127.0.0.1:8082", "127.0.0.1:8080"),
    ],
)
def test_listeners_that_would_count_up_into_each_other_are_refused(tmp_path: Path, listeners: str, http: str) -> None:
    with pytest.raises(Failure, match="are too close: each counts up 3 ports"):
        planned(config_of(tmp_path, listeners=listeners, penstock_http_listener=http))


def test_listeners_on_addresses_of_their_own_may_have_the_same_ports(tmp_path: Path) -> None:
    planned(config_of(tmp_path, listeners="IN://127.0.0.1:9092,OUT://127.0.0.2:9092"))


def test_ports_end_somewhere(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="no port 65536"):
        planned(config_of(tmp_path, listeners="PLAINTEXT://127.0.0.1:65535"))


def test_a_file_that_a_killed_worker_of_the_same_pid_left_does_not_make_one_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: SimpleNamespace(pid=7))
    guards = cast("GuardedProcesses", SimpleNamespace(add=lambda _process: None))
    addresses = tmp_path / ADDRESSES_FILE
    addresses.write_text('{"pid": 7}')
    os.utime(addresses, ns=(0, 0))
    worker = Worker(WorkerPlan(10, tmp_path, {}), None, {}, guards)
    worker.launch()
    assert not worker.is_ready
    addresses.write_text('{"pid": 7}')
    assert worker.is_ready


def test_where_no_process_is_to_be_had_it_is_tried_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refused)
    worker = Worker(WorkerPlan(10, tmp_path, {}), None, {}, GuardedProcesses())
    worker.due_s = 0.0
    worker._pause_s = 3_600.0  # which no stall of the machine outlasts
    looks = iter([None, None])
    stopping = cast("Stopping", SimpleNamespace(sleep=lambda _: next(looks)))
    with capture_logs() as said, pytest.raises(StopIteration):
        _watch([worker], stopping)
    assert [line["event"] for line in said] == ["broker not started again"]
    assert worker.due_s > time.monotonic()


@pytest.mark.parametrize(("code", "level"), [(0, "info"), (1, "error"), (-9, "error")])
def test_a_worker_that_was_stopped_cleanly_is_no_error(code: int, level: str) -> None:
    worker = cast(Worker, SimpleNamespace(id=10, due_s=None, exit_code=code, put_off=lambda: 1.0))
    naps = iter(())
    stopping = cast(Stopping, SimpleNamespace(sleep=lambda _s: next(naps)))

    with capture_logs() as said, pytest.raises(StopIteration):
        _watch([worker], stopping)

    assert [(line["event"], line["log_level"]) for line in said] == [("broker ended unasked", level)]
