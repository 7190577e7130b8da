"""Audit events go to a topic that every broker of the cluster writes to, and nobody else."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import Rec, batch
from tests.support.clients import read_to_end
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient, port_of

from penstock.access.audit import read_line
from penstock.access.audit.files import files_in, lines_of
from penstock.testing import RunningBroker, broker

TOPIC = "__penstock_audit"
INVALID_TOPIC = 17


def create(port: int, name: str) -> int:
    topic = {"name": name, "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}
    with closing(RawClient(port)) as client:
        body: dict[str, Any] = {"topics": [topic], "timeout_ms": 30_000, "validate_only": False}
        return int(client.request("CreateTopics", 7, body)["topics"][0]["error_code"])


def produce(port: int, topic: str) -> int:
    """A stranger writes."""
    body = {
        "transactional_id": None,
        "acks": -1,
        "timeout_ms": 30_000,
        "topic_data": [
            {"name": topic, "partition_data": [{"index": 0, "records": bytes(batch([Rec(value=b"I was never here")]))}]}
        ],
    }
    with closing(RawClient(port)) as client:
        return int(client.request("Produce", 9, body)["responses"][0]["partition_responses"][0]["error_code"])


def lines_in_topic(bootstrap: str) -> dict[bytes, list[bytes]]:
    """By who wrote them."""
    found = defaultdict(list)
    for record in read_to_end(bootstrap, TOPIC):
        key, value = record.key(), record.value()
        assert key is not None and value is not None
        found[key].append(value)
    return found


# One broker -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    folder = tmp_path_factory.mktemp("audit")
    with broker({"penstock.audit.dir": str(folder), "penstock.audit.topic.enable": True}, mode="thread") as running:
        yield running


def until_told(bootstrap: str, name: str) -> list[bytes]:
    """The lines of broker 1, once one of them names that topic."""
    while True:
        try:
            lines = lines_in_topic(bootstrap).get(b"audit-1", [])
        except Exception:  # there is no such topic yet
            lines = []
        if any(name.encode() in line for line in lines):
            return lines


def test_what_is_in_the_file_is_in_the_topic(audited: RunningBroker) -> None:
    port = port_of(audited.bootstrap)
    assert create(port, "told") == 0
    lines = until_told(audited.bootstrap, "told")
    read = [read_line(line) for line in lines]
    assert [one.sequence for one in read] == list(range(1, len(read) + 1))
    assert all(after.previous == before.hash for before, after in pairwise(read))


def test_it_is_an_internal_topic_and_strangers_do_not_write_to_it(audited: RunningBroker) -> None:
    port = port_of(audited.bootstrap)
    assert create(port, "also-told") == 0
    until_told(audited.bootstrap, "also-told")
    assert produce(port, TOPIC) == INVALID_TOPIC
    with closing(RawClient(port)) as client:
        wanted = {"topics": [{"name": TOPIC}], "allow_auto_topic_creation": False}
        (topic,) = client.request("Metadata", 8, wanted)["topics"]
        assert topic["is_internal"]
        deleted = {
            "topics": [{"name": TOPIC, "partitions": [{"partition_index": 0, "offset": -1}]}],
            "timeout_ms": 1000,
        }
        (outcome,) = client.request("DeleteRecords", 2, deleted)["topics"][0]["partitions"]
        assert outcome["error_code"] == INVALID_TOPIC
    assert not any(b"never here" in line for line in lines_in_topic(audited.bootstrap)[b"audit-1"])


# Several --------------------------------------------------------------------------------------------------------------


async def test_brokers_of_a_cluster_write_to_one_topic(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    settings = {"penstock.audit.dir": str(folder), "penstock.audit.topic.enable": "true"}
    async with some_nodes(tmp_path, 3, settings) as nodes:
        for at in nodes.running:
            port = nodes[at].endpoints["PLAINTEXT"].port
            assert await asyncio.to_thread(create, port, f"by-{at}") == 0
        await nodes.until(lambda: TOPIC in nodes.image().topics)
        assert len(nodes.state(TOPIC).replicas) == 3
        await nodes.until(lambda: all(_sent(nodes, at) for at in nodes.running))
        found = await asyncio.to_thread(lines_in_topic, nodes.bootstrap)
        for at in nodes.running:
            on_disk = [line[:-1] for each in files_in(folder) if each.broker_id == at for line in lines_of(each.path)]
            assert found[b"audit-%d" % at] == on_disk
            assert [name for name in ("by-1", "by-2", "by-3") if name in str(on_disk)] == [f"by-{at}"]
        leader = nodes.state(TOPIC).leader
        port = nodes[leader].endpoints["PLAINTEXT"].port
        assert await asyncio.to_thread(produce, port, TOPIC) == INVALID_TOPIC
        await nodes.stop(leader)
        other = next(iter(nodes.running))
        port = nodes[other].endpoints["PLAINTEXT"].port
        assert await asyncio.to_thread(create, port, "after") == 0
        await nodes.until(lambda: all(_sent(nodes, at) for at in nodes.running))
        found = await asyncio.to_thread(lines_in_topic, nodes.bootstrap)
        assert json.loads(found[b"audit-%d" % other][-1])["resources"][0]["name"] == "after"


def _sent(nodes: Nodes, at: int) -> bool:
    audit = nodes.services(at).audit
    assert audit is not None
    metrics = audit.metrics
    return metrics.sent == metrics.events and not metrics.queued and not metrics.unsent
