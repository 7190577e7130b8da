"""A transactional producer by hand, one request at a time, over a raw client: what a test wants to see between two."""

from __future__ import annotations

from typing import Any

from tests.support.batches import TRANSACTIONAL, Rec, batch
from tests.support.coordinators import NOT_THERE_YET, ask_until_ready
from tests.support.faults import Client, eventually
from tests.support.raw import RawClient, port_of

from penstock.errors import ConcurrentTransactions

BUSY = NOT_THERE_YET | {ConcurrentTransactions.code}


class HandProducer:
    """Transaction version 2: producing adds partitions, and every end raises the epoch."""

    def __init__(self, client: Client, transactional_id: str, *, timeout_ms: int = 60_000) -> None:
        self.client = client
        self.transactional_id = transactional_id
        self.sequences: dict[tuple[str, int], int] = {}
        self._patiently("FindCoordinator", 6, {"key_type": 1, "coordinator_keys": [transactional_id]})
        body = {"transactional_id": transactional_id, "transaction_timeout_ms": timeout_ms}
        answer = self._patiently("InitProducerId", 5, body)
        assert answer["error_code"] == 0, answer
        self.producer_id: int = answer["producer_id"]
        self.epoch: int = answer["producer_epoch"]

    def _patiently(self, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
        return ask_until_ready(self.client, api, version, body, again_on=BUSY)

    def produce(self, topic: str, *values: bytes, partition: int = 0, version: int = 12) -> dict[str, Any]:
        """The partition's outcome; sequences move on when it was taken."""
        sequence = self.sequences.get((topic, partition), 0)
        records = batch(
            [Rec(value) for value in values],
            attributes=TRANSACTIONAL,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            sequence=sequence,
        )
        data = {"name": topic, "partition_data": [{"index": partition, "records": records}]}
        body = {"transactional_id": self.transactional_id, "acks": -1, "timeout_ms": 30_000, "topic_data": [data]}
        # An end is answered before its markers are written, and until they are the next transaction has to wait.
        answer = ask_until_ready(self.client, "Produce", version, body, again_on=(ConcurrentTransactions.code,))
        outcome: dict[str, Any] = answer["responses"][0]["partition_responses"][0]
        if outcome["error_code"] == 0:
            self.sequences[topic, partition] = sequence + len(values)
        return outcome

    def end(self, *, commits: bool) -> None:
        body = {
            "transactional_id": self.transactional_id,
            "producer_id": self.producer_id,
            "producer_epoch": self.epoch,
            "committed": commits,
        }
        answer = self._patiently("EndTxn", 5, body)
        assert answer["error_code"] == 0, answer
        self.producer_id, self.epoch = answer["producer_id"], answer["producer_epoch"]
        self.sequences.clear()


def describe_producers(client: RawClient, topic: str, partition: int = 0) -> list[dict[str, Any]]:
    body = {"topics": [{"name": topic, "partition_indexes": [partition]}]}
    described = client.request("DescribeProducers", 0, body)["topics"][0]["partitions"][0]
    assert described["error_code"] == 0, described
    rows: list[dict[str, Any]] = described["active_producers"]
    return rows


def describe_transaction(client: RawClient, transactional_id: str) -> dict[str, Any]:
    answer = ask_until_ready(client, "DescribeTransactions", 0, {"transactional_ids": [transactional_id]})
    state: dict[str, Any] = answer["transaction_states"][0]
    assert state["error_code"] == 0, state
    return state


def until_complete(bootstrap: str, transactional_id: str) -> None:
    """An end is answered when it is settled; its markers, of records and of offsets, are written after that."""
    with RawClient(port_of(bootstrap)) as client:
        eventually(
            lambda: describe_transaction(client, transactional_id)["transaction_state"].startswith("Complete"),
            "the transaction is complete",
        )


def stable_end(client: Client, topic: str, *, isolation_level: int = 1) -> int:
    """Where a consumer that starts at the end starts, by ListOffsets."""
    wanted = {"partition_index": 0, "timestamp": -1}
    body = {"replica_id": -1, "isolation_level": isolation_level, "topics": [{"name": topic, "partitions": [wanted]}]}
    outcome = client.request("ListOffsets", 5, body)["topics"][0]["partitions"][0]
    assert outcome["error_code"] == 0, outcome
    return int(outcome["offset"])
