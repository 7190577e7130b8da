"""The parts of the etcd adapter that need no etcd: what failures mean, versions, options, the highest revision seen."""

import asyncio
import os
import socket
import threading
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.support.clocks import ManualClock

from penstock.metastore import (
    Compacted,
    InvalidTransaction,
    LeaseGone,
    Revision,
    StoreBehind,
    Unavailable,
    open_metastore,
)
from penstock.metastore.etcd.failures import AccessDenied, CallFailed, CallOutcome, meaning, refusal
from penstock.metastore.etcd.options import EtcdOptions, address, options_from, read_secrets
from penstock.metastore.etcd.seen import FILE_NAME, SeenRevision, refuse_if_behind
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.metastore.etcd.versions import complaint
from penstock.settings import load_settings


@pytest.mark.parametrize(
    ("status", "details", "means"),
    [
        ("UNAVAILABLE", "etcdserver: no leader", CallOutcome.NOT_DONE),
        ("UNAVAILABLE", "failed to connect to all addresses; last error: ...", CallOutcome.NOT_DONE),
        ("RESOURCE_EXHAUSTED", "etcdserver: too many requests", CallOutcome.NOT_DONE),
        ("UNAVAILABLE", "Socket closed", CallOutcome.UNKNOWN),
        ("UNAVAILABLE", "etcdserver: leader changed", CallOutcome.UNKNOWN),
        ("UNAVAILABLE", "etcdserver: request timed out", CallOutcome.UNKNOWN),
        ("DEADLINE_EXCEEDED", "Deadline Exceeded", CallOutcome.UNKNOWN),
        ("CANCELLED", "the channel was closed", CallOutcome.UNKNOWN),
        ("UNAUTHENTICATED", "etcdserver: invalid auth token", CallOutcome.TOKEN_EXPIRED),
        ("INVALID_ARGUMENT", "etcdserver: user name is empty", CallOutcome.TOKEN_EXPIRED),
        ("PERMISSION_DENIED", "etcdserver: permission denied", CallOutcome.REFUSED),
        ("RESOURCE_EXHAUSTED", "etcdserver: mvcc: database space exceeded", CallOutcome.REFUSED),
    ],
)
def test_only_what_was_certainly_not_carried_out_may_be_asked_of_another(
    status: str, details: str, means: CallOutcome
) -> None:
    assert meaning(CallFailed("a:2379", status, details)) is means


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ("etcdserver: requested lease not found", LeaseGone),
        ("etcdserver: mvcc: required revision has been compacted", Compacted),
        ("etcdserver: request is too large", InvalidTransaction),
        ("etcdserver: too many operations in txn request", InvalidTransaction),
        ("etcdserver: permission denied", AccessDenied),
        ("etcdserver: authentication failed, invalid user ID or password", AccessDenied),
        ("etcdserver: mvcc: database space exceeded", Unavailable),
    ],
)
def test_a_refusal_is_said_in_the_words_of_the_port(details: str, kind: type[Exception]) -> None:
    failure = CallFailed("a:2379", "INVALID_ARGUMENT", details)
    assert meaning(failure) is CallOutcome.REFUSED
    assert type(refusal(failure)) is kind


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("3.3.27", "older than 3.4"),
        ("3.4.0", None),
        ("3.4.23", None),
        ("3.5.0", "corrupt"),
        ("3.5.2", "corrupt"),
        ("3.5.3", None),
        ("3.6.1", None),
        ("", None),
    ],
)
def test_versions_that_lose_data_are_complained_about(version: str, words: str | None) -> None:
    said = complaint(version)
    assert said is None if words is None else said is not None and words in said


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("http://a:1234", ("a:1234", False)),
        ("https://a", ("a:2379", True)),
        ("10.0.0.1:2379", ("10.0.0.1:2379", False)),
        ("https://[::1]:5", ("[::1]:5", True)),
    ],
)
def test_an_endpoint_is_a_host_and_a_port_with_or_without_tls(endpoint: str, expected: tuple[str, bool]) -> None:
    assert address(endpoint) == expected


@pytest.mark.parametrize("endpoint", ["unix:///x", "http://", "a:port"])
def test_an_endpoint_that_is_none_is_refused_in_words(endpoint: str) -> None:
    with pytest.raises(Unavailable, match=r"is not \[http\[s\]://\]HOST:PORT"):
        address(endpoint)


def test_a_certificate_needs_its_key_and_files_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="go together"):
        read_secrets(EtcdOptions(("a",), "/", certificate_file="a.pem"))
    with pytest.raises(Unavailable, match="TLS file for etcd cannot be read"):
        read_secrets(EtcdOptions(("a",), "/", ca_file=str(tmp_path / "missing.pem")))


def test_options_come_from_the_settings() -> None:
    config = load_settings(
        overrides={
            "penstock.etcd.endpoints": "a:1,b:2,c:3",
            "penstock.etcd.username": "penstock",
            "penstock.etcd.request.timeout.ms": "1500",
            "penstock.cluster.name": "orders",
        }
    )
    options = options_from(config)
    assert (options.endpoints, options.username, options.probe_key) == (
        ("a:1", "b:2", "c:3"), "penstock", "/penstock/orders/",
    )  # fmt: skip
    assert (options.request_timeout_s, options.attempt_timeout_s) == (1.5, 0.5)


async def test_without_endpoints_the_broker_keeps_its_own_store(tmp_path: Path) -> None:
    store = await open_metastore(load_settings(overrides={}), tmp_path, ManualClock())
    assert type(store).__name__ == "EmbeddedMetastore"
    await store.close()


@pytest.mark.parametrize("count", [1, 3])
async def test_endpoints_that_take_a_connection_and_say_nothing_are_named(count: int) -> None:
    """As a process does that hangs, or is none of etcd's."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        options = EtcdOptions(endpoints=(endpoint,) * count, probe_key="/penstock/", request_timeout_ms=300)
        with pytest.raises(Unavailable, match=f"no etcd endpoint could be used: {endpoint}"):
            await EtcdMetastore.open(options)


def test_the_highest_revision_seen_is_there_after_a_restart(tmp_path: Path) -> None:
    seen = SeenRevision(tmp_path)
    assert seen.highest == 0
    for revision in (7, 5, 9, 8):
        seen.note(Revision(revision))
    seen.write()
    assert SeenRevision(tmp_path).highest == 9
    refuse_if_behind(seen=Revision(9), present=Revision(9))
    with pytest.raises(StoreBehind, match="at revision 8, and this broker has seen 9"):
        refuse_if_behind(seen=Revision(9), present=Revision(8))


async def test_the_last_write_waits_for_one_that_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = SeenRevision(tmp_path)
    flushing, go_on = threading.Event(), threading.Event()
    real = os.fsync

    def slow_fsync(file: int) -> None:
        if not flushing.is_set():
            flushing.set()
            go_on.wait(30)
        real(file)

    monkeypatch.setattr("penstock.metastore.etcd.seen.os.fsync", slow_fsync)
    seen.note(Revision(8))
    first = asyncio.create_task(asyncio.to_thread(seen.write))
    await asyncio.to_thread(flushing.wait, 30)
    seen.note(Revision(9))
    last = asyncio.create_task(asyncio.to_thread(seen.write))
    await asyncio.wait([last], timeout=0.05)
    go_on.set()
    with capture_logs() as said:
        await asyncio.gather(first, last)
    assert said == [] and (tmp_path / FILE_NAME).read_text() == "9\n"


def test_a_disk_that_takes_nothing_does_not_end_the_store(tmp_path: Path) -> None:
    seen = SeenRevision(tmp_path / "gone")
    seen.note(Revision(5))
    seen.write()
    (tmp_path / "gone").mkdir()
    seen.write()
    assert SeenRevision(tmp_path / "gone").highest == 5


def test_a_note_of_the_highest_revision_that_cannot_be_read_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("nine")
    with pytest.raises(StoreBehind, match="holds 'nine'"):
        SeenRevision(tmp_path)
