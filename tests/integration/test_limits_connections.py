"""Bounds of connections and request memory: whoever goes beyond hurts only itself."""

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.batches import Rec, batch
from tests.support.faults import (
    Client,
    connections,
    eventually,
    fetch_body,
    health,
    metric,
    now_ms,
    one,
    open_files,
    produce_body,
    program,
    resident_bytes,
)
from tests.support.raw import ConnectionEnded, port_of, request_frame

from penstock.testing import RunningBroker

MIB = 1 << 20
TEN_MINUTES_MS = 600_000
IDLE_MS = 10_000
"""Longer than a busy machine keeps anybody waiting who is not idle."""


@contextmanager
def strangers(broker: RunningBroker, count: int) -> Iterator[list[socket.socket]]:
    """Plain connections that say nothing by themselves."""
    sockets = [socket.create_connection(("127.0.0.1", port_of(broker.bootstrap)), timeout=60) for _ in range(count)]
    try:
        yield sockets
    finally:
        for each in sockets:
            each.close()


def sized(frame: bytes) -> bytes:
    return struct.pack(">i", len(frame)) + frame


def push(sock: socket.socket, data: bytes) -> int:
    """Send as much as the broker takes without being read from; how many bytes that was."""
    sock.settimeout(0.5)
    sent = 0
    try:
        while sent < len(data):
            sent += sock.send(data[sent : sent + 65_536])
    except TimeoutError:
        pass
    return sent


def take(sock: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = sock.recv(size - len(parts))
        assert part, "closed by the broker"
        parts += part
    return bytes(parts)


def take_frame(sock: socket.socket) -> bytes:
    sock.settimeout(60)
    return take(sock, struct.unpack(">i", take(sock, 4))[0])


def large_batch(mebibytes: int) -> bytes:
    return batch([Rec(bytes(1000)) for _ in range(mebibytes * 1024)], base_timestamp=now_ms())


def test_requests_that_nobody_reads_the_answers_of_are_not_read_either(penstock_broker: RunningBroker) -> None:
    """Thousands of requests in a row whose answers are far larger than themselves."""
    with Client(penstock_broker) as client:
        for number in range(20):
            assert client.create_topic(f"topic-{number}", partitions=10) == 0
        metadata = sized(request_frame("Metadata", 9, {"topics": None}))
        flood = metadata * 400_000
        before = resident_bytes(penstock_broker.pid)
        with strangers(penstock_broker, 3) as flooding:
            taken = [push(each, flood) for each in flooding]
            assert max(taken) < len(flood), "the broker stopped reading"
            assert resident_bytes(penstock_broker.pid) - before < 40 * MIB
            for number in range(50):
                assert client.produce("topic-0", one(b"%d" % number))["base_offset"] == number, "others are served"
            # Whoever reads at last gets its answers, in order and whole.
            for _ in range(500):
                assert take_frame(flooding[0])[:4] == struct.pack(">i", 1)
        eventually(lambda: connections(penstock_broker) <= 2, "they are gone")


def test_consumers_that_do_not_read_large_answers_hold_no_memory(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("large", max_message_bytes=str(8 * MIB)) == 0
        for _ in range(4):
            assert client.produce("large", large_batch(4))["error_code"] == 0
        before = resident_bytes(penstock_broker.pid)
        ask = sized(request_frame("Fetch", 11, fetch_body("large", 0, partition_max_bytes=50 * MIB)))
        with strangers(penstock_broker, 20) as slow:
            for each in slow:
                each.sendall(ask * 5)
            eventually(
                lambda: metric(penstock_broker, "kafka_network_requestmetrics_requests_total", request="Fetch") >= 20,
                "all are being answered",
            )
            assert resident_bytes(penstock_broker.pid) - before < 20 * MIB, "answers stay in the files"
            assert len(client.values("large")) == 4 * 4096
            assert len(take_frame(slow[0])) > 16_000_000


@pytest.mark.penstock(settings={"connections.max.idle.ms": IDLE_MS})
def test_a_consumer_that_never_reads_is_let_go_and_a_slow_one_is_not(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("large", max_message_bytes=str(8 * MIB)) == 0
        client.produce("large", large_batch(6))
    ask = sized(request_frame("Fetch", 11, fetch_body("large", 0)))
    with strangers(penstock_broker, 2) as (stuck, slow):
        for each in (stuck, slow):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
            each.sendall(ask)
        (size,) = struct.unpack(">i", take(slow, 4))
        for _ in range(40):
            take(slow, size // 40)
            time.sleep(0.3)  # forty of them are longer than the idle limit
        take(slow, size % 40)
        eventually(
            lambda: connections(penstock_broker) <= 1,
            "the stuck one is closed",
        )


@pytest.mark.penstock(settings={"max.connections": 5})
def test_connections_beyond_the_limit_are_closed_at_once(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client, strangers(penstock_broker, 4):
        assert client.create_topic("orders") == 0
        with Client(penstock_broker) as sixth:
            assert sixth.is_closed_by_peer()
        assert client.produce("orders", one(b"v"))["error_code"] == 0
        assert metric(penstock_broker, "penstock_connections_turned_away_total") == 1
    eventually(
        lambda: connections(penstock_broker) == 0,
        "there is room again",
    )
    with Client(penstock_broker) as client:
        assert client.values("orders") == [b"v"]


@pytest.mark.penstock(settings={"max.connections.per.ip": 3, "max.connections.per.ip.overrides": "127.0.0.2:1"})
def test_an_address_has_a_limit_of_its_own(penstock_broker: RunningBroker) -> None:
    port = port_of(penstock_broker.bootstrap)
    with Client(penstock_broker) as client, strangers(penstock_broker, 2):
        with Client(penstock_broker) as fourth:
            assert fourth.is_closed_by_peer()
        with socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0), timeout=30) as other:
            other.sendall(sized(request_frame("ApiVersions", 0, {})))
            assert other.recv(4)
            with socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0), timeout=30) as more:
                assert more.recv(1) == b""
        assert client.create_topic("orders") == 0


@pytest.mark.penstock(settings={"connections.max.idle.ms": IDLE_MS})
def test_idle_connections_are_closed_and_those_that_wait_for_an_answer_are_not(
    penstock_broker: RunningBroker,
) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders") == 0
        client.send("Fetch", 11, fetch_body("orders", 0, max_wait_ms=TEN_MINUTES_MS))
        with strangers(penstock_broker, 2) as idle:  # who come later, and are idle for less long
            for each in idle:
                assert each.recv(1) == b"", "closed by the broker"
        with Client(penstock_broker) as writer:
            assert writer.produce("orders", one(b"v"))["error_code"] == 0
        assert client.receive_frame(), "a long poll is no idleness"
        client.wait_for_hang_up()


def test_a_huge_frame_that_is_announced_and_never_sent_takes_no_memory(penstock_broker: RunningBroker) -> None:
    before = resident_bytes(penstock_broker.pid)
    with strangers(penstock_broker, 100) as liars:
        for each in liars:
            each.sendall(struct.pack(">i", 100 * MIB))  # the largest that is allowed
        with Client(penstock_broker) as client:
            assert client.create_topic("orders") == 0
            assert client.produce("orders", one(b"v"))["error_code"] == 0
        assert resident_bytes(penstock_broker.pid) - before < 30 * MIB


@pytest.mark.penstock(
    settings={
        "queued.max.request.bytes": 8 * MIB,
        "socket.request.max.bytes": 8 * MIB,
        "penstock.frame.stall.ms": 4_000,
    }
)
def test_strangers_that_fill_the_request_memory_do_not_keep_a_good_client_out(
    penstock_broker: RunningBroker,
) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", max_message_bytes=str(7 * MIB)) == 0
        with strangers(penstock_broker, 60) as half:
            for number, each in enumerate(half):
                each.sendall(struct.pack(">i", 900_000 if number % 2 else 40_000) + bytes(100))
            # Small requests pass at any time; a large one gets in when the strangers' time is over.
            assert client.produce("orders", one(b"small"))["base_offset"] == 0
            assert client.produce("orders", large_batch(4))["base_offset"] == 1
            for each in half:
                each.settimeout(60)
                assert each.recv(1) == b"", "closed by the broker"
        assert client.latest("orders") == 1 + 4096


@pytest.mark.penstock(settings={"penstock.frame.stall.ms": 400})
def test_a_request_that_comes_drop_by_drop_is_given_up_at_last(penstock_broker: RunningBroker) -> None:
    with strangers(penstock_broker, 1) as (dripping,):
        dripping.sendall(struct.pack(">i", 100_000))

        def is_closed() -> bool:
            try:
                dripping.send(b"\x00")
            except OSError:
                return True
            return False

        eventually(is_closed, "each drop alone would be in time")


def test_a_client_whose_large_requests_come_in_pieces_is_served(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", max_message_bytes=str(8 * MIB)) == 0
        frame = sized(request_frame("Produce", 9, produce_body("orders", large_batch(3))))
        for start in range(0, len(frame), 100_003):
            client.send_bytes(frame[start : start + 100_003])
        assert client.receive_frame()
        assert client.latest("orders") == 3 * 1024
        with pytest.raises(ConnectionEnded):
            client.send_bytes(struct.pack(">i", 100 * MIB + 1) + bytes(8))
            client.receive_frame()


def test_connections_leave_the_broker_the_files_that_it_needs(tmp_path: Path) -> None:
    with program(tmp_path, under=("prlimit", "--nofile=256:256")) as broker, Client(broker) as client:
        assert client.create_topic("before", partitions=50) == 0
        for partition in range(50):
            assert client.produce("before", one(b"v"), partition=partition)["error_code"] == 0
        with strangers(broker, 400) as crowd:
            eventually(lambda: metric(broker, "penstock_connections_turned_away_total") > 0, "some are turned away")
            assert open_files(broker.pid) <= 256
            assert client.create_topic("meanwhile", partitions=50) == 0
            for partition in range(50):
                assert client.produce("meanwhile", one(b"v"), partition=partition)["error_code"] == 0
                assert client.values("before", partition=partition) == [b"v"]
            assert health(broker).status == 200
            assert crowd
        eventually(lambda: connections(broker) <= 1, "the crowd is gone")
        with Client(broker) as newcomer:
            assert newcomer.values("meanwhile") == [b"v"]
