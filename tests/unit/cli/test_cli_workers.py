"""What each of several brokers on a machine has for itself."""

import errno
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from structlog.testing import capture_logs

from penstock.admin.addresses import ADDRESSES_FILE
from penstock.cli.exits import Failure
from penstock.cli.stopping import Stopping
from penstock.cli.workers.plan import WorkerPlan, planned
from penstock.cli.workers.serving import _watch
from penstock.cli.workers.worker import Worker
from penstock.processes.orphans import OrphanKiller
from penstock.settings import Config

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
        "penstock.web.listener": "",
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
    guards = cast("OrphanKiller", SimpleNamespace(add=lambda _process: None))
    addresses = tmp_path / ADDRESSES_FILE
    addresses.write_text('{"pid": 7, "listeners": {}, "http": null}')
    worker = Worker(WorkerPlan(10, tmp_path, {}), None, {}, guards)
    worker.launch()
    assert not worker.is_started
    addresses.write_text('{"pid": 7, "listeners": {}, "http": null}')
    assert worker.is_started


def test_where_no_process_is_to_be_had_it_is_tried_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refused)
    now_s = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    naps = iter([0.9, 1.0, 2.9, 3.0])

    def sleep(_s: float) -> None:
        nonlocal now_s
        now_s = next(naps)

    worker = Worker(WorkerPlan(10, tmp_path, {}), None, {}, OrphanKiller())  # which does not run: it has ended
    with capture_logs() as said, pytest.raises(StopIteration):
        _watch({10: worker}, cast("Stopping", SimpleNamespace(sleep=sleep)))
    assert [(line["event"], line["again_in_s"]) for line in said] == [
        ("broker ended unasked", 1.0),
        ("broker not started again", 2.0),
        ("broker not started again", 4.0),
    ]


@pytest.mark.parametrize(("code", "level"), [(0, "info"), (1, "error"), (-9, "error")])
def test_a_worker_that_was_stopped_cleanly_is_no_error(code: int, level: str) -> None:
    worker = cast(Worker, SimpleNamespace(is_running=False, exit_code=code))
    naps = iter(())
    stopping = cast(Stopping, SimpleNamespace(sleep=lambda _s: next(naps)))

    with capture_logs() as said, pytest.raises(StopIteration):
        _watch({10: worker}, stopping)

    assert [(line["event"], line["log_level"]) for line in said] == [("broker ended unasked", level)]
