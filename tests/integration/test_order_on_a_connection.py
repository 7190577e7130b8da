"""Requests that a client sends one behind the other, without waiting: what it is told is as if they were carried out in
order. A consumer that is shown an end below what it has read computes a lag below zero (RULES 49).
"""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import batch
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import decode_response, request_frame

ALONE, REPLICATED = "alone", "replicated"
LONG_MS = 60_000
Request = tuple[str, int, dict[str, Any]]


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with some_nodes(tmp_path, 2) as running:
        await running.create_topic(ALONE, replicas=(1,))
        await running.create_topic(REPLICATED, replicas=(1, 2))
        yield running


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, *requests: Request) -> None:
        """All in one write."""
        frames = (request_frame(api, version, body) for api, version, body in requests)
        self._writer.write(b"".join(struct.pack(">i", len(frame)) + frame for frame in frames))

    async def answers(self, *requests: Request) -> list[dict[str, Any]]:
        async with asyncio.timeout(120):
            return [await self._answer(api, version) for api, version, _body in requests]

    async def _answer(self, api: str, version: int) -> dict[str, Any]:
        (size,) = struct.unpack(">i", await self._reader.readexactly(4))
        return decode_response(api, version, await self._reader.readexactly(size))[1]


@asynccontextmanager
async def client_of(nodes: Nodes) -> AsyncIterator[Client]:
    endpoint = nodes[1].endpoints["PLAINTEXT"]
    reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        await writer.wait_closed()


def produce(topic: str) -> Request:
    records = {"name": topic, "partition_data": [{"index": 0, "records": batch()}]}
    return "Produce", 9, {"transactional_id": None, "acks": -1, "timeout_ms": LONG_MS, "topic_data": [records]}


def fetch(topic: str, *, wait_ms: int) -> Request:
    partition = {"partition": 0, "fetch_offset": 0, "log_start_offset": -1, "partition_max_bytes": 1 << 20}
    body = {
        "max_wait_ms": wait_ms,
        "min_bytes": 1,
        "max_bytes": 1 << 20,
        "isolation_level": 0,
        "session_id": 0,
        "session_epoch": -1,
        "topics": [{"topic": topic, "partitions": [{"current_leader_epoch": -1, **partition}]}],
        "forgotten_topics_data": [],
        "rack_id": "",
    }
    return "Fetch", 11, {"replica_id": -1, **body}


def list_offsets(topic: str) -> Request:
    partition = {"partition_index": 0, "current_leader_epoch": -1, "timestamp": -1}
    topics = [{"name": topic, "partitions": [partition]}]
    return "ListOffsets", 5, {"replica_id": -1, "isolation_level": 0, "topics": topics}


def end_of_epoch(topic: str) -> Request:
    partition = {"partition": 0, "current_leader_epoch": -1, "leader_epoch": 0}
    return "OffsetForLeaderEpoch", 3, {"replica_id": -1, "topics": [{"topic": topic, "partitions": [partition]}]}


def describe_log_dirs(topic: str) -> Request:
    return "DescribeLogDirs", 1, {"topics": [{"topic": topic, "partitions": [0]}]}


def fetched_end(answer: dict[str, Any]) -> int:
    return int(answer["responses"][0]["partitions"][0]["high_watermark"])


def listed_end(answer: dict[str, Any]) -> int:
    return int(answer["topics"][0]["partitions"][0]["offset"])


READS: dict[str, tuple[Callable[[str], Request], Callable[[dict[str, Any]], int]]] = {
    "ListOffsets": (list_offsets, listed_end),
    "Fetch": (lambda topic: fetch(topic, wait_ms=0), fetched_end),
    "OffsetForLeaderEpoch": (end_of_epoch, lambda answer: answer["topics"][0]["partitions"][0]["end_offset"]),
    "DescribeLogDirs": (
        describe_log_dirs,
        lambda answer: answer["results"][0]["topics"][0]["partitions"][0]["partition_size"],
    ),
}


@pytest.mark.parametrize("read", READS)
async def test_a_read_behind_a_parked_fetch_shows_nothing_older_than_its_answer(nodes: Nodes, read: str) -> None:
    asked, end = READS[read]
    both = fetch(ALONE, wait_ms=LONG_MS), asked(ALONE)
    async with client_of(nodes) as consumer, client_of(nodes) as producer:
        consumer.send(*both)
        await nodes.until(lambda: nodes.partition(ALONE, 1).waiters.watchers)
        producer.send(produce(ALONE))
        fetched, answer = await consumer.answers(*both)
        assert fetched_end(fetched) == 1
        assert end(answer) >= 1


async def test_a_read_behind_a_write_shows_what_was_acknowledged(nodes: Nodes) -> None:
    requests = produce(REPLICATED), produce(REPLICATED), list_offsets(REPLICATED), fetch(REPLICATED, wait_ms=0)
    async with client_of(nodes) as client:
        client.send(*requests)
        *written, listed, fetched = await client.answers(*requests)
        assert [answer["responses"][0]["partition_responses"][0]["base_offset"] for answer in written] == [0, 1]
        assert listed_end(listed) == 2
        assert fetched_end(fetched) == 2


async def test_a_fetch_does_not_show_what_a_request_behind_it_writes(nodes: Nodes) -> None:
    requests = fetch(ALONE, wait_ms=200), produce(ALONE), fetch(ALONE, wait_ms=LONG_MS)
    async with client_of(nodes) as client:
        client.send(*requests)
        before, _written, after = await client.answers(*requests)
        assert (fetched_end(before), fetched_end(after)) == (0, 1)
