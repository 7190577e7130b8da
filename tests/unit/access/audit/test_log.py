"""A broker's audit log at work: who waits, who is refused, what is lost, and how it goes on after a stop or a kill."""

import asyncio
import errno
import json
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.clocks import ManualClock
from tests.support.clusters import BROKER_ID, a_cluster
from tests.unit.access.audit.building import an_event

from penstock.access.audit import AuditLog, AuditMetrics, Head, known_heads
from penstock.access.audit import log as module
from penstock.access.audit.files import files_in, lines_of
from penstock.access.audit.reading import verify_folder
from penstock.access.login_event import LoginEvent
from penstock.access.principal import Principal
from penstock.access.rights import READ_TOPIC
from penstock.access.subject import Subject
from penstock.cluster import Cluster
from penstock.errors import Fatal, KafkaStorageError
from penstock.settings import Config

MALLORY = Subject(Principal("User", "mallory"), host="10.6.6.6")


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK_S", 0.01)
    monkeypatch.setattr(module, "RETRY_S", 0.01)


def a_log(cluster: Cluster, folder: Path, **settings: str) -> AuditLog:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    config = Config.for_broker({"node.id": "1", "penstock.audit.dir": str(folder), **named})
    return AuditLog(
        config=config,
        image=cluster.image,
        controller=cluster.controller,
        me=BROKER_ID,
        clock=ManualClock(),
        metrics=AuditMetrics(),
    )


@asynccontextmanager
async def running(cluster: Cluster, folder: Path, **settings: str) -> AsyncIterator[AuditLog]:
    log = a_log(cluster, folder, **settings)
    await log.open()
    log.start(asyncio.create_task)
    try:
        yield log
    finally:
        await log.stop()


def told(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for each in files_in(folder) for line in lines_of(each.path)]


def messages(folder: Path) -> list[str]:
    return [event.get("message", "") for event in told(folder) if event["class_uid"] == 1008]


def heads_of(cluster: Cluster) -> dict[int, Head]:
    return {int(name): known.head for name, known in known_heads(cluster.image).items()}


def is_whole(cluster: Cluster, folder: Path) -> bool:
    (report,) = verify_folder(folder, heads_of(cluster))
    return report.is_whole


async def test_an_event_is_on_disk_when_it_is_said_to_be(cluster: Cluster, tmp_path: Path) -> None:
    async with running(cluster, tmp_path) as log:
        await log.record(an_event("orders"))
        assert told(tmp_path)[-1]["resources"][0]["name"] == "orders"
    assert messages(tmp_path) == ["the broker starts", "the broker stops"]
    assert heads_of(cluster)[1].sequence == 3
    assert is_whole(cluster, tmp_path)


async def test_nobody_is_answered_before_the_fsync(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, is_there = threading.Event(), threading.Event()
    synced = os.fdatasync

    def slow(fd: int) -> None:
        is_there.set()
        assert may_go_on.wait(60)
        synced(fd)

    async with running(cluster, tmp_path) as log:
        await log.record(an_event())
        monkeypatch.setattr("os.fdatasync", slow)
        written = log.record(an_event("slow"))
        await asyncio.to_thread(is_there.wait, 60)
        await asyncio.sleep(0.05)
        assert b"slow" in files_in(tmp_path)[0].path.read_bytes(), "it is written,"
        assert not written.done(), "and not on disk yet"
        may_go_on.set()
        await written


async def test_it_goes_on_over_a_restart(cluster: Cluster, tmp_path: Path) -> None:
    for _ in range(3):
        async with running(cluster, tmp_path) as log:
            await log.record(an_event())
    assert [event["metadata"]["sequence"] for event in told(tmp_path)] == list(range(1, 10))
    assert is_whole(cluster, tmp_path)


async def test_a_line_that_broke_off_is_told_and_the_chain_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    async with running(cluster, tmp_path) as log:
        await log.record(an_event())
    path = files_in(tmp_path)[0].path
    path.write_bytes(path.read_bytes() + b'{"class_uid":60')
    async with running(cluster, tmp_path):
        pass
    assert messages(tmp_path)[2] == "the broker starts; the last line broke off after 15 bytes and is taken away"
    assert is_whole(cluster, tmp_path)


async def test_a_cut_log_is_told_at_the_start_and_by_verify(cluster: Cluster, tmp_path: Path) -> None:
    async with running(cluster, tmp_path) as log:
        for _ in range(4):
            await log.record(an_event())
    path = files_in(tmp_path)[0].path
    path.write_bytes(b"".join(list(lines_of(path))[:3]))
    assert not is_whole(cluster, tmp_path)
    async with running(cluster, tmp_path):
        pass
    assert "the broker starts; lines 4 to 6 are gone, or were changed" in messages(tmp_path)
    (report,) = verify_folder(tmp_path, heads_of(cluster))
    assert [problem.what for problem in report.problems] == [
        "the broker found when it started that lines after 3 were gone"
    ]
    assert report.last == 8


async def test_a_log_whose_files_are_gone_goes_on_from_where_the_store_knows_it(
    cluster: Cluster, tmp_path: Path
) -> None:
    async with running(cluster, tmp_path / "first") as log:
        await log.record(an_event())
    async with running(cluster, tmp_path / "second"):
        pass
    assert [event["metadata"]["sequence"] for event in told(tmp_path / "second")] == [4, 5]
    assert not is_whole(cluster, tmp_path / "second")


async def test_full_files_are_followed_and_the_chain_says_which_were_deleted(cluster: Cluster, tmp_path: Path) -> None:
    settings = {"penstock_audit_file_max_bytes": "4096", "penstock_audit_files_max": "3"}
    async with running(cluster, tmp_path, **settings) as log:
        for number in range(60):
            await log.record(an_event(f"topic-{number}"))
    files = files_in(tmp_path)
    assert len(files) == 3 and files[0].first > 1
    assert any("are deleted to make room" in message for message in messages(tmp_path))
    assert is_whole(cluster, tmp_path)
    async with running(cluster, tmp_path, **settings):
        pass
    assert is_whole(cluster, tmp_path)
    files[1].path.unlink()
    assert not is_whole(cluster, tmp_path)


async def test_while_the_disk_takes_nothing_changes_are_refused_and_then_all_is_told(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_fd: int, _data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with running(cluster, tmp_path) as log:
        await log.record(an_event("before"))
        monkeypatch.setattr("penstock.access.audit.files._write", full)
        written = log.record(an_event("meanwhile"))
        while not log.metrics.failures:
            await asyncio.sleep(0.01)
        with pytest.raises(KafkaStorageError, match="cannot be written to"):
            log.require_room()
        log.denied(MALLORY, READ_TOPIC, "orders")
        assert log.metrics.lost == 1
        assert not written.done()
        monkeypatch.undo()
        await written
        log.require_room()
        await log.record(an_event("after"))
    assert "1 events about logins and refusals are lost: there was no room for them" in messages(tmp_path)
    assert is_whole(cluster, tmp_path)


async def test_a_full_queue_refuses_changes_and_loses_refusals(cluster: Cluster, tmp_path: Path) -> None:
    log = a_log(cluster, tmp_path, penstock_audit_queue_max="10")
    await log.open()  # nobody writes yet
    for number in range(8):
        log.denied(Subject(host=f"10.0.0.{number}"), READ_TOPIC, "orders")
    assert log.metrics.lost == 4, "refusals may fill half of it"
    log.require_room()
    for _ in range(5):
        log.record(an_event())
    with pytest.raises(KafkaStorageError, match="too much waits"):
        log.require_room()
    assert log.metrics.refused == 1
    log.start(asyncio.create_task)
    await log.record(an_event())
    log.require_room()
    await log.stop()
    assert is_whole(cluster, tmp_path)


async def test_refusals_and_logins_are_folded(cluster: Cluster, tmp_path: Path) -> None:
    async with running(cluster, tmp_path) as log:
        for number in range(1_000):
            log.denied(MALLORY, READ_TOPIC, f"topic-{number}")
        for number in range(100):
            guess = Principal("User", f"guess-{number}")
            log.logged_in(LoginEvent(guess, "PLAIN", "10.6.6.6", "SASL", reason="wrong"))
    first, login, rest, logins = [event for event in told(tmp_path) if event["class_uid"] != 1008]
    assert (first["action"], first["status_code"], first["api"]["operation"]) == ("Denied", "29", "READ Topic")
    assert first["actor"]["user"]["name"] == "mallory" and first["src_endpoint"]["ip"] == "10.6.6.6"
    assert rest["count"] == 999
    assert (login["class_uid"], login["status_id"], login["auth_protocol"]) == (3002, 2, "PLAIN")
    assert logins["count"] == 99


async def test_the_store_is_told_how_far_the_log_reaches_from_time_to_time(cluster: Cluster, tmp_path: Path) -> None:
    async with running(cluster, tmp_path, penstock_audit_head_interval_ms="1000") as log:
        clock = log._clock
        assert isinstance(clock, ManualClock)
        await log.record(an_event())
        clock.advance(1_000)
        while not heads_of(cluster):
            await asyncio.sleep(0.01)


async def test_a_folder_that_cannot_be_used_is_refused_in_words(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Fatal, match=r"penstock\.audit\.dir"):
        await a_log(cluster, tmp_path / "file").open()


async def test_lines_are_handed_on_once_they_are_on_disk(cluster: Cluster, tmp_path: Path) -> None:
    seen: list[bytes] = []

    def hand_on(lines: Sequence[bytes]) -> None:
        on_disk = b"".join(each.path.read_bytes() for each in files_in(tmp_path))
        assert all(line in on_disk for line in lines)
        seen.extend(lines)

    async with running(cluster, tmp_path) as log:
        log.on_written = hand_on
        await log.record(an_event())
    assert [json.loads(line) for line in seen] == told(tmp_path)
