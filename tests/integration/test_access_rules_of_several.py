"""Access rules on three brokers: what one takes all judge by, and what brokers ask of each other needs none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.support.batches import batch
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient

from penstock.access.acls import Acl, PatternType, Permission, encode, entry_name
from penstock.access.rights import Operation, ResourceKind
from penstock.cluster import EntryChange, EntryKind

ON = {"authorizer.class.name": "penstock", "min.insync.replicas": "3"}
ANYBODY = "User:ANONYMOUS"
TOPIC_FAILED, CLUSTER_FAILED = 29, 31


def rule(kind: ResourceKind, name: str, operation: Operation) -> Acl:
    return Acl(kind, name, PatternType.LITERAL, ANYBODY, "127.0.0.0/8", operation, Permission.ALLOW)


async def put(nodes: Nodes, *acls: Acl, through: int) -> None:
    change = EntryChange(None, puts={entry_name(acl): encode(acl) for acl in acls})
    await nodes.cluster(through).controller.change_entries(EntryKind.ACLS, lambda _there: change)


async def take(nodes: Nodes, acl: Acl, *, through: int) -> None:
    change = EntryChange(None, deletes=[entry_name(acl)])
    await nodes.cluster(through).controller.change_entries(EntryKind.ACLS, lambda _there: change)


async def ask(nodes: Nodes, node_id: int, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
    def asked() -> dict[str, Any]:
        with RawClient(nodes[node_id].endpoints["PLAINTEXT"].port) as client:
            return client.request(api, version, body)

    return await asyncio.to_thread(asked)


async def seen(nodes: Nodes, node_id: int, topic: str) -> int:
    wanted = {"topics": [{"name": topic}], "allow_auto_topic_creation": False}
    code: int = (await ask(nodes, node_id, "Metadata", 12, wanted))["topics"][0]["error_code"]
    return code


async def produced(nodes: Nodes, node_id: int, topic: str) -> int:
    part = {"index": 0, "records": batch()}
    body: dict[str, Any] = {"transactional_id": None, "acks": -1, "timeout_ms": 60_000}
    body |= {"topic_data": [{"name": topic, "partition_data": [part]}]}
    answer = await ask(nodes, node_id, "Produce", 9, body)
    code: int = answer["responses"][0]["partition_responses"][0]["error_code"]
    return code


async def test_all_brokers_judge_by_a_rule_and_replicate_without_one(tmp_path: Path) -> None:
    write = rule(ResourceKind.TOPIC, "orders", Operation.WRITE)
    async with some_nodes(tmp_path, 3, ON) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3))
        await nodes.until_in_sync("orders", 1, 2, 3)
        assert [await seen(nodes, node_id, "orders") for node_id in (1, 2, 3)] == [TOPIC_FAILED] * 3
        assert await produced(nodes, 1, "orders") == TOPIC_FAILED
        await put(nodes, write, through=2)
        assert await seen(nodes, 2, "orders") == 0, "at once where it was taken"
        for node_id in (1, 3):
            while await seen(nodes, node_id, "orders"):
                await asyncio.sleep(0.01)
        assert await produced(nodes, 1, "orders") == 0, "with all three in sync: followers fetch"
        await take(nodes, write, through=3)
        assert await seen(nodes, 3, "orders") == TOPIC_FAILED
        while await produced(nodes, 1, "orders") != TOPIC_FAILED:
            await asyncio.sleep(0.01)


async def test_a_client_with_cluster_action_is_no_broker(tmp_path: Path) -> None:
    """Where there are others, replicas and coordinators are taken at their proof, not at a rule (RULES 25)."""
    async with some_nodes(tmp_path, 2, {"authorizer.class.name": "penstock"}) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2))
        await put(nodes, rule(ResourceKind.CLUSTER, "kafka-cluster", Operation.CLUSTER_ACTION), through=1)
        one = {"transactional_id": "t", "producer_id": 1, "producer_epoch": 0, "verify_only": True}
        one |= {"topics": [{"name": "orders", "partitions": [0]}]}
        answer = await ask(nodes, 1, "AddPartitionsToTxn", 4, {"transactions": [one]})
        assert answer["error_code"] == CLUSTER_FAILED
        part = {"partition": 0, "fetch_offset": 5, "partition_max_bytes": 1 << 20}
        stolen = {
            "replica_id": 2,
            "max_wait_ms": 0,
            "min_bytes": 0,
            "topics": [{"topic": "orders", "partitions": [part]}],
        }
        answer = await ask(nodes, 1, "Fetch", 12, stolen)
        codes = {answer["error_code"], *(p["error_code"] for t in answer["responses"] for p in t["partitions"])}
        assert codes - {0}, "a stranger's progress does not count"


async def test_a_broker_that_starts_again_knows_the_rules(tmp_path: Path) -> None:
    read = rule(ResourceKind.TOPIC, "orders", Operation.READ)
    async with some_nodes(tmp_path, 2, {"authorizer.class.name": "penstock"}) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2))
        await put(nodes, read, through=1)
        await nodes.stop(2)
        await nodes.start(2)
        assert await seen(nodes, 2, "orders") == 0
        assert await seen(nodes, 2, "bills") == TOPIC_FAILED
