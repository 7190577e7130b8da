"""Strangers on the wire: whatever they send, they hurt only themselves.

After each of them the broker still serves, its memory is bounded, and what it could not answer it has counted.
"""

from __future__ import annotations

import os
import random
import socket
import struct
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.support.batches import Rec, batch
from tests.support.clients import make_topic
from tests.support.raw import ConnectionEnded, RawClient, port_of, request_frame
from tests.support.schema import messages

from penstock.testing import RunningBroker, broker

MIB = 1 << 20
BAD_FRAMES = "penstock_requests_bad_frames_total"
BUGS = "penstock_requests_bugs_total"
API_VERSIONS = struct.pack(">hhih", 18, 0, 1, -1)
SERVED = ("Produce", "Fetch", "ListOffsets", "Metadata", "CreateTopics", "DescribeConfigs", "InitProducerId")


@pytest.fixture(scope="module")
def victim() -> Iterator[RunningBroker]:
    """A broker for strangers, with modest bounds."""
    settings = {"socket.request.max.bytes": 8 * MIB, "queued.max.request.bytes": 32 * MIB, "max.connections": 2_000}
    with broker(settings, mode="process") as running:
        yield running


@pytest.fixture(autouse=True)
def unharmed(victim: RunningBroker) -> Iterator[None]:
    """Around every test: the broker serves before and after, and nothing in it failed unforeseen."""
    assert_serves(victim)
    yield
    assert_serves(victim)
    assert metric(victim, BUGS) == 0, victim.log_tail()


def connect(victim: RunningBroker, timeout_s: float = 120) -> RawClient:
    return RawClient(port_of(victim.bootstrap), timeout_s=timeout_s)


def assert_serves(victim: RunningBroker) -> None:
    with connect(victim) as client:
        assert client.request("ApiVersions", 0, {})["error_code"] == 0


def metric(victim: RunningBroker, name: str) -> float:
    with urllib.request.urlopen(f"{victim.http_url}/metrics", timeout=60) as page:
        lines = page.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))


def lines_logged(victim: RunningBroker) -> int:
    return victim.log_path.read_text(errors="replace").count("connection refused")


def resident_bytes(victim: RunningBroker) -> int:
    pages = int(Path(f"/proc/{victim.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def until(condition: Callable[[], bool], within_s: float = 120) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


TLS_HANDSHAKE = bytes.fromhex("160301")
TLS_ALERT = bytes.fromhex("15030100020228")
"""Fatal: handshake failure."""
HANGS_UP = {
    "an oversized frame": struct.pack(">i", 200 * MIB) + b"\0" * 100,
    "the longest frame": struct.pack(">i", 2**31 - 1),
    "a negative length": struct.pack(">i", -1),
    "the most negative length": struct.pack(">i", -(2**31)),
    "an empty frame": struct.pack(">i", 0),
    "a frame shorter than a header": struct.pack(">i", 3) + b"abc",
    "an unknown api": struct.pack(">ihhih", 10, 999, 0, 1, -1),
    "a TLS hello": bytes.fromhex("16030100c8010000c40303") + bytes(200),
    "an HTTP request": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a shell's greeting": b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n" + b" " * 100,
    "a client id longer than the frame": struct.pack(">ihhih", 13, 18, 0, 1, 500) + b"abc",
}


@pytest.mark.parametrize("said", HANGS_UP.values(), ids=HANGS_UP.keys())
def test_nonsense_closes_the_connection_and_is_counted(victim: RunningBroker, said: bytes) -> None:
    counted, logged = metric(victim, BAD_FRAMES), lines_logged(victim)
    with connect(victim) as stranger:
        stranger.send_bytes(said)
        # One that encrypts is told so first, in its own protocol.
        assert stranger.drain() == (TLS_ALERT if said.startswith(TLS_HANDSHAKE) else b"")
    assert metric(victim, BAD_FRAMES) == counted + 1
    assert lines_logged(victim) == logged + 1


@pytest.mark.parametrize("api", SERVED)
def test_requests_cut_anywhere_close_the_connection(victim: RunningBroker, api: str) -> None:
    version = messages()[f"{api}Request"].versions[1] if api != "InitProducerId" else 5
    whole = request_frame(api, version, {"acks": -1} if api == "Produce" else {})
    for size in range(8, len(whole)):
        with connect(victim) as stranger:
            stranger.send_frame(whole[:size])
            assert stranger.is_closed_by_peer(), f"{api} of {size} bytes out of {len(whole)}"


@pytest.mark.parametrize("api", ["Metadata", "CreateTopics", "Fetch", "Produce"])
def test_absurd_counts_take_no_memory(victim: RunningBroker, api: str) -> None:
    version = messages()[f"{api}Request"].versions[1]
    before = resident_bytes(victim)
    for _ in range(20):
        with connect(victim) as stranger:
            # Every field reads as a huge number of something.
            stranger.send_frame(request_frame(api, version, b"\xff\xff\xff\xff\x07" * 2_000))
            assert stranger.is_closed_by_peer()
    assert resident_bytes(victim) - before < 32 * MIB


def test_noise_is_survived(victim: RunningBroker) -> None:
    dice = random.Random(20_261_115)
    for _ in range(300):
        with connect(victim) as stranger:
            noise = dice.randbytes(dice.randrange(1, 400))
            key, version = dice.choice([0, 1, 2, 3, 18, 19, 20, 32, 44, 75]), dice.randrange(0, 14)
            header = struct.pack(">hhih", key, version, 1, -1)
            stranger.send_frame(header + noise)
            stranger.send_frame(API_VERSIONS)
            try:
                stranger.receive_frame()  # an answer, or the end: both will do, silence will not
            except ConnectionEnded:
                pass


def test_a_bad_request_ends_only_its_own_connection(victim: RunningBroker) -> None:
    with connect(victim) as good, connect(victim) as stranger:
        stranger.send_bytes(struct.pack(">i", -5))
        assert stranger.is_closed_by_peer()
        assert good.request("ApiVersions", 0, {})["error_code"] == 0


def test_answers_owed_before_a_bad_frame_still_come(victim: RunningBroker) -> None:
    with connect(victim) as stranger:
        good = struct.pack(">i", len(API_VERSIONS)) + API_VERSIONS
        stranger.send_bytes(good + good + struct.pack(">i", -1))
        stranger.receive_frame()
        stranger.receive_frame()
        assert stranger.is_closed_by_peer()


def test_half_sent_requests_hold_little_memory(victim: RunningBroker) -> None:
    """A hundred announce eight megabytes each and stop half way: the bound is shared, and it holds."""
    before = resident_bytes(victim)
    with ExitStack() as open_ones:
        strangers = [open_ones.enter_context(connect(victim)) for _ in range(100)]
        for stranger in strangers:
            stranger.send_bytes(struct.pack(">i", 8 * MIB) + struct.pack(">hhih", 0, 9, 1, -1) + bytes(1_000))
        assert_serves(victim)
        assert resident_bytes(victim) - before < 64 * MIB
    until(lambda: metric(victim, "penstock_request_memory_bytes") == 0)


def test_half_open_connections_cost_little(victim: RunningBroker) -> None:
    before = resident_bytes(victim)
    with ExitStack() as open_ones:
        for _ in range(500):
            open_ones.enter_context(connect(victim)).send_bytes(b"\0\0")
        assert_serves(victim)
        assert resident_bytes(victim) - before < 48 * MIB
    until(lambda: metric(victim, "kafka_server_socket_server_metrics_connection_count") <= 1)


def test_connections_reset_in_the_middle_leave_nothing(victim: RunningBroker) -> None:
    reset = struct.pack("ii", 1, 0)
    for _ in range(200):
        with closing(socket.create_connection(("127.0.0.1", port_of(victim.bootstrap)), timeout=60)) as stranger:
            stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            stranger.sendall(struct.pack(">i", 100_000) + bytes(500))
    until(lambda: metric(victim, "kafka_server_socket_server_metrics_connection_count") <= 1)
    until(lambda: metric(victim, "penstock_request_memory_bytes") == 0)  # one of them may be left till now


def test_a_reader_that_does_not_read_hurts_only_itself(victim: RunningBroker) -> None:
    """It asks for megabytes over and over and takes none: the broker stops reading its requests."""
    topic = make_topic(victim.bootstrap, "unread", max_message_bytes="4000000")
    record = batch([Rec(b"z" * (1 * MIB))])
    with connect(victim) as client:
        for _ in range(8):
            produced = {"index": 0, "records": record}
            body = {"acks": 1, "timeout_ms": 9_000, "topic_data": [{"name": topic, "partition_data": [produced]}]}
            answer = client.request("Produce", 9, body)["responses"][0]["partition_responses"][0]
            assert answer["error_code"] == 0
        before = resident_bytes(victim)
        wanted = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 16 * MIB}
        fetch = {"max_wait_ms": 0, "min_bytes": 1, "topics": [{"topic": topic, "partitions": [wanted]}]}
        with ExitStack() as open_ones:
            for _ in range(5):
                stranger = open_ones.enter_context(connect(victim, timeout_s=0.5))
                try:
                    for _ in range(20_000):
                        stranger.send("Fetch", 11, fetch)
                except TimeoutError:
                    pass  # it is not read any more: this is the backpressure
            assert client.request("ApiVersions", 0, {})["error_code"] == 0
            assert resident_bytes(victim) - before < 64 * MIB


def test_many_requests_in_flight_are_answered_in_order(victim: RunningBroker) -> None:
    with connect(victim) as client:
        sent = [client.send("ApiVersions", 0, {}) for _ in range(2_000)]
        answered = [struct.unpack(">i", client.receive_frame()[:4])[0] for _ in sent]
    assert answered == sent


def test_a_request_sent_byte_by_byte_is_answered(victim: RunningBroker) -> None:
    with connect(victim) as slow:
        for byte in struct.pack(">i", len(API_VERSIONS)) + API_VERSIONS:
            slow.send_bytes(bytes([byte]))
        assert slow.receive_frame()[:4] == struct.pack(">i", 1)
