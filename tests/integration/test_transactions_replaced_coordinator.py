"""A coordinator of transactions that was replaced and does not know it says nothing of what its successor has ended or
begun since. Clients here are older ones, whose epoch stays as it is from one transaction to the next.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import TRANSACTIONAL, Rec, batch
from tests.support.brokers import Line
from tests.support.coordinators import ask_until_ready
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient
from tests.support.transactional import BUSY, describe_producers, describe_transaction

from penstock.cluster import TRANSACTION_STATE
from penstock.metastore import Changes, Revision

pytestmark = pytest.mark.usefixtures("cut_off_unawares")
SETTINGS = {
    "penstock.broker.lease.ms": "6000",  # a machine that stalls is no broker that is gone
    "penstock.broker.heartbeat.ms": "1000",
    "request.timeout.ms": "3000",
}
TOPIC, LEADER = "orders", 4
COORDINATOR, SUCCESSOR = 3, 1
NOT_AVAILABLE, NOT_ENOUGH_REPLICAS = 15, 19


class LateLine(Line):
    """Carries everything, but news may be held back for longer than from others."""

    is_late = False

    async def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        async for changes in super().watch(prefix, from_revision):
            while self.is_late:
                await asyncio.sleep(0.01)
            yield changes


class OldProducer:
    def __init__(self, nodes: Nodes, transactional_id: str, at: int) -> None:
        self.nodes = nodes
        self.transactional_id = transactional_id
        body = {"transactional_id": transactional_id, "transaction_timeout_ms": 60_000}
        answer = self.ask(at, "InitProducerId", 3, body)
        self.who = {name: answer[name] for name in ("producer_id", "producer_epoch")}
        self.sequence = 0

    def ask(self, at: int, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
        with RawClient(port_of(self.nodes, at)) as client:
            return ask_until_ready(client, api, version, body, again_on=BUSY)

    def add(self, at: int) -> None:
        body: dict[str, Any] = {"v3_and_below_transactional_id": self.transactional_id}
        body |= {f"v3_and_below_{name}": value for name, value in self.who.items()}
        body["v3_and_below_topics"] = [{"name": TOPIC, "partitions": [0]}]
        answer = self.ask(at, "AddPartitionsToTxn", 3, body)["results_by_topic_v3_and_below"]
        assert answer[0]["results_by_partition"][0]["partition_error_code"] == 0, answer

    def produce(self, at: int) -> int:
        """The error code."""
        records = batch([Rec(b"record")], attributes=TRANSACTIONAL, sequence=self.sequence, **self.who)
        data = {"name": TOPIC, "partition_data": [{"index": 0, "records": records}]}
        body = {"transactional_id": self.transactional_id, "acks": -1, "timeout_ms": 30_000, "topic_data": [data]}
        with RawClient(port_of(self.nodes, at)) as client:
            answer = client.request("Produce", 9, body)["responses"][0]["partition_responses"][0]
        self.sequence += answer["error_code"] == 0
        return int(answer["error_code"])

    def commit_once(self, at: int) -> int:
        body = {"transactional_id": self.transactional_id, "committed": True, **self.who}
        with RawClient(port_of(self.nodes, at)) as client:
            return int(client.request("EndTxn", 3, body)["error_code"])

    def commit(self, at: int) -> None:
        body = {"transactional_id": self.transactional_id, "committed": True, **self.who}
        assert self.ask(at, "EndTxn", 3, body)["error_code"] == 0

    def state(self, at: int) -> str:
        with RawClient(port_of(self.nodes, at)) as client:
            return str(describe_transaction(client, self.transactional_id)["transaction_state"])

    def transact(self, at: int) -> None:
        """A whole transaction, to its last marker."""
        self.add(at)
        assert self.produce(LEADER) == 0
        self.commit(at)
        self.commit(at)  # answered when the first is complete


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    """One coordinates, another may succeed it; a third leads the topic, and may hear of that later than others."""
    async with some_nodes(tmp_path, 2, SETTINGS) as running:
        running.lines |= {COORDINATOR: Line(running.store), LEADER: LateLine(running.store)}
        await running.start(COORDINATOR)
        await running.start(LEADER)
        await running.create_topic(TOPIC, replicas=(LEADER, SUCCESSOR))
        await running.create_topic(
            TRANSACTION_STATE,
            replicas=(COORDINATOR, SUCCESSOR, 2),
            cleanup_policy="compact",
            min_insync_replicas="2",
        )
        await running.until_in_sync(TRANSACTION_STATE, COORDINATOR, SUCCESSOR, 2)
        yield running


async def replaced(nodes: Nodes) -> None:
    """The coordinator is cut off from the metadata store; another one coordinates in its place."""
    line = nodes.lines[COORDINATOR]
    assert isinstance(line, Line)
    line.is_cut = True
    await nodes.until(lambda: nodes.state(TRANSACTION_STATE, at=SUCCESSOR).leader == SUCCESSOR)
    assert nodes.partition(TRANSACTION_STATE, COORDINATOR).is_leader, "as far as it knows"


async def test_a_commit_is_not_taken_for_one_that_was_made_before(nodes: Nodes) -> None:
    producer = await asyncio.to_thread(OldProducer, nodes, "name", COORDINATOR)
    await asyncio.to_thread(producer.transact, COORDINATOR)
    await replaced(nodes)
    await asyncio.to_thread(producer.add, SUCCESSOR)
    assert await asyncio.to_thread(producer.produce, LEADER) == 0
    assert await asyncio.to_thread(producer.commit_once, COORDINATOR) == NOT_AVAILABLE
    assert await asyncio.to_thread(producer.state, SUCCESSOR) == "Ongoing"
    await asyncio.to_thread(producer.commit, SUCCESSOR)


async def test_a_late_batch_of_a_transaction_that_is_over_opens_none(nodes: Nodes) -> None:
    """A partition's leader that has not heard of the successor either asks the one before, but has its marker."""
    producer = await asyncio.to_thread(OldProducer, nodes, "name", COORDINATOR)
    await asyncio.to_thread(producer.add, COORDINATOR)
    assert await asyncio.to_thread(producer.produce, LEADER) == 0
    line = nodes.lines[LEADER]
    assert isinstance(line, LateLine)
    line.is_late = True
    await replaced(nodes)
    await asyncio.to_thread(producer.commit, SUCCESSOR)
    await asyncio.to_thread(producer.commit, SUCCESSOR)
    assert nodes.state(TRANSACTION_STATE, at=LEADER).leader == COORDINATOR, "as far as it knows"
    assert await asyncio.to_thread(producer.produce, LEADER) == NOT_ENOUGH_REPLICAS
    with RawClient(port_of(nodes, LEADER)) as client:
        (row,) = await asyncio.to_thread(describe_producers, client, TOPIC)
    assert row["current_txn_start_offset"] == -1, "nobody would ever end it"
    line.is_late = False


def port_of(nodes: Nodes, broker: int) -> int:
    return nodes[broker].endpoints["PLAINTEXT"].port
