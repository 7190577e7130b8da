"""Limits of connections are for clients: brokers get through to each other, and strangers do not get in beside them."""

import asyncio
import socket
import struct
from collections import Counter
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.support.batches import Rec, batch
from tests.support.nodes import WITHIN_S, Nodes, some_nodes
from tests.support.raw import request_frame

from penstock.broker.over_limit import WAITING_MAX
from penstock.model import BrokerId

NOBODY_ELSE = {
    "penstock.broker.lease.ms": "60000",
    "penstock.broker.heartbeat.ms": "300",
    "penstock.broker.heartbeats.missed.max": "1000",  # a slow machine is not what this is about
    "max.connections": "0",
}


def connect(nodes: Nodes, at: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", nodes[at].endpoints["PLAINTEXT"].port), timeout=WITHIN_S)


def answer_to(sock: socket.socket, frame: bytes) -> bytes:
    """Its first bytes; nothing where the connection was closed instead."""
    sock.sendall(struct.pack(">i", len(frame)) + frame)
    try:
        return sock.recv(1024)
    except ConnectionResetError:
        return b""


def said_nothing(sock: socket.socket) -> bytes:
    try:
        return sock.recv(1)
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("limit", ["max.connections", "max.connections.per.ip"])
async def test_brokers_replicate_and_find_each_other_alive_where_no_client_gets_in(tmp_path: Path, limit: str) -> None:
    settings = {**NOBODY_ELSE, "max.connections": "2147483647", limit: "0"}
    async with some_nodes(tmp_path, 3, settings) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="3")
        await nodes.until_in_sync("orders", 1, 2, 3)
        await nodes.kill(2)
        await nodes.until(lambda: set(nodes.image(1).brokers) == {1, 3})
        await nodes.start(2)
        await nodes.until_in_sync("orders", 1, 2, 3)
        leader = nodes.leader("orders")
        appended = leader.append(memoryview(bytearray(batch([Rec(b"v")]))), acks=-1)
        acknowledged = leader.acknowledged(appended, acks=-1)
        if acknowledged is not None:
            await asyncio.wait_for(acknowledged, WITHIN_S)
        heard = heartbeats_heard(nodes)
        await nodes.until(lambda: all(count >= 5 for count in heard.values()))


def heartbeats_heard(nodes: Nodes) -> Counter[BrokerId]:
    """How often each of the others answers the controller, from now on."""
    controller = nodes.image().controller_id
    member = nodes.cluster(controller).member
    assert member is not None
    heard = Counter({broker: 0 for broker in nodes.image().brokers if broker != controller})
    acquit = member.failure_detector.found_alive

    def found_alive(broker: BrokerId) -> None:
        heard[broker] += 1
        acquit(broker)

    member.failure_detector.found_alive = found_alive
    return heard


async def test_a_stranger_over_the_limit_gets_nothing_but_what_a_broker_asks_first(tmp_path: Path) -> None:
    # Made before the door is knocked at: whoever says nothing there for two heartbeats is sent away.
    first, second = request_frame("ApiVersions", 0, {}), request_frame("Metadata", 1, {"topics": []})

    def work(nodes: Nodes) -> None:
        with connect(nodes, 1) as client:
            assert answer_to(client, first)
            assert not answer_to(client, second)
        with connect(nodes, 1) as silent:
            assert not said_nothing(silent)

    async with some_nodes(tmp_path, 2, NOBODY_ELSE | {"penstock.broker.heartbeat.ms": "5000"}) as nodes:
        await asyncio.wait_for(asyncio.to_thread(work, nodes), 2 * WITHIN_S)


async def test_a_crowd_at_the_door_does_not_keep_a_broker_out(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, NOBODY_ELSE) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3))
        await nodes.kill(3)
        crowd = [connect(nodes, at) for at in (1, 2) for _ in range(WAITING_MAX + 5)]
        try:
            await nodes.start(3)
            await nodes.until_in_sync("orders", 1, 2, 3)
        finally:
            for each in crowd:
                each.close()


async def test_a_stranger_over_the_limit_may_not_announce_large_frames(tmp_path: Path) -> None:
    def work(nodes: Nodes) -> None:
        with connect(nodes, 1) as client:
            client.sendall(struct.pack(">i", 512 * 1024 + 1))
            assert not said_nothing(client)

    with capture_logs() as lines:
        async with some_nodes(tmp_path, 2, NOBODY_ELSE) as nodes:
            await asyncio.wait_for(asyncio.to_thread(work, nodes), 2 * WITHIN_S)
    reasons = [line["reason"] for line in lines if line["event"] == "connection refused"]
    assert "a frame of 524289 bytes; at most 524288 are taken" in reasons
