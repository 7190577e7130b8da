"""A coordinator that was replaced and does not know it tells nobody who processes each record once where to go on."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.brokers import Line
from tests.support.coordinators import Kind, ask_coordinator, ask_until_ready
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient

from penstock.cluster import CONSUMER_OFFSETS
from penstock.coordinators.runtime import java_hash

pytestmark = pytest.mark.usefixtures("cut_off_unawares")
SETTINGS = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "offsets.topic.num.partitions": "3",
}
TOPIC = "orders"
NOT_AVAILABLE = 15


def look_for_coordinator(port: int) -> None:
    """Whoever does so first has the internal topic created."""
    with RawClient(port) as client:
        ask_until_ready(client, "FindCoordinator", 4, {"key_type": Kind.GROUP, "coordinator_keys": ["any"]})


def commit(port: int, group: str, offset: int) -> None:
    part = {"partition_index": 0, "committed_offset": offset, "committed_metadata": ""}
    body = {"group_id": group, "generation_id_or_member_epoch": -1, "member_id": ""}
    body["topics"] = [{"name": TOPIC, "partitions": [part]}]
    with RawClient(port) as client:
        answer = ask_coordinator(client, Kind.GROUP, group, "OffsetCommit", 8, body)
    assert answer["topics"][0]["partitions"][0]["error_code"] == 0, answer


def fetch(port: int, group: str) -> Any:
    """The committed offset, or the error's code below zero."""
    wanted = {"group_id": group, "topics": [{"name": TOPIC, "partition_indexes": [0]}]}
    with RawClient(port) as client:
        (answer,) = client.request("OffsetFetch", 8, {"groups": [wanted], "require_stable": True})["groups"]
    return -answer["error_code"] or answer["topics"][0]["partitions"][0]["committed_offset"]


async def test_stable_offsets_come_from_whoever_coordinates_now(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 2, SETTINGS) as nodes:
        nodes.lines[3] = line = Line(nodes.store)
        await nodes.start(3)
        await nodes.create_topic(TOPIC, replicas=(1, 2))
        await asyncio.to_thread(look_for_coordinator, port_of(nodes, 1))
        group, index = group_at(nodes, 3)
        await nodes.until_in_sync(CONSUMER_OFFSETS, 1, 2, 3, index=index)
        await asyncio.to_thread(commit, port_of(nodes, 3), group, 5)
        assert await asyncio.to_thread(fetch, port_of(nodes, 3), group) == 5

        line.is_cut = True
        await nodes.until(lambda: nodes.state(CONSUMER_OFFSETS, index, at=1).leader in (1, 2))
        await asyncio.to_thread(commit, port_of(nodes, nodes.state(CONSUMER_OFFSETS, index, at=1).leader), group, 9)
        assert nodes.partition(CONSUMER_OFFSETS, 3, index).is_leader, "as far as it knows"
        assert await asyncio.to_thread(fetch, port_of(nodes, 3), group) == -NOT_AVAILABLE
        line.is_cut = False


def port_of(nodes: Nodes, broker: int) -> int:
    return nodes[broker].endpoints["PLAINTEXT"].port


def group_at(nodes: Nodes, broker: int) -> tuple[str, int]:
    """A group that this broker coordinates, and the partition that it is in."""
    partitions = nodes.image().topics[CONSUMER_OFFSETS].partitions
    places = ((f"group-{number}", java_hash(f"group-{number}") % len(partitions)) for number in range(100))
    return next((name, index) for name, index in places if partitions[index].leader == broker)
