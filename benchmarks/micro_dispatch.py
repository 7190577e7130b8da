"""What a request costs the broker's own code, without sockets and clients: python -m benchmarks.micro_dispatch

Runs frames through the dispatcher of a real node with a real log and prints CPU time a request, the best of several
repeats. Asserts nothing. Steadier than the benchmark with real clients, and so the place to see what a change brings.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from struct import Struct
from time import time
from typing import Any
from unittest.mock import patch

from benchmarks.cpu_cost import REPEATS, Cost, cost_us, show
from penstock.broker.batch_opening import BatchOpener
from penstock.broker.batch_samples import FIRST_OPENED, BatchSamples
from penstock.broker.dispatch import Dispatcher
from penstock.broker.node import Node
from penstock.broker.owed_answers import Parked
from penstock.broker.peer_authentication import Caller
from penstock.log import FileSlice
from penstock.replication import Opened
from penstock.settings import Config
from penstock.wire.framing import RequestHeader
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import FetchResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.produce_response import ProduceResponse
from penstock.wire.records import Record, build_batch

TOPIC = "bench"
_WRITTEN_BYTES_MAX = 400_000_000
_TAGS_AFTER_RECORDS = 3
_NO_OFFSET = bytes(8)
_SESSION = Struct(">ii")
_RESPONSE_HEADER = 9  # size, correlation id, no tags


@dataclass
class Peer:
    """As much of a connection as the dispatcher looks at."""

    listener: str = "PLAINTEXT"
    peer: str = "127.0.0.1:1"
    caller: Caller = field(default_factory=Caller)
    context_cache: dict[Any, Any] = field(default_factory=dict)


def frame(message: Any, version: int) -> memoryview:
    header = RequestHeader(message.api_key, version, 7, "rdkafka")
    return memoryview(bytearray(header.encode() + message.encode(version)))


class Produce:
    """A produce request that can be sent again and again.

    An append writes the batch's offset into the frame, and a batch that does not begin at 0 is refused: it is taken out
    again before each use.
    """

    version = 10

    def __init__(
        self,
        records: int,
        record_bytes: int,
        *,
        acks: int = 1,
        partition: int = 0,
        producer_id: int = -1,
        base_sequence: int = -1,
    ) -> None:
        now = int(time() * 1000)
        batch = build_batch(
            [Record(i, now, None, bytes(record_bytes)) for i in range(records)],
            producer_id=producer_id,
            producer_epoch=-1 if producer_id < 0 else 0,
            base_sequence=base_sequence,
        )
        topic = TopicProduceData(name=TOPIC, partition_data=[PartitionProduceData(index=partition, records=batch)])
        self._frame = frame(ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=[topic]), self.version)
        self.batch_bytes = len(batch)
        self.batch_at = len(self._frame) - _TAGS_AFTER_RECORDS - len(batch)
        self._offset = self._frame[self.batch_at :][:8]

    def __call__(self) -> memoryview:
        self._offset[:] = _NO_OFFSET
        return self._frame

    @classmethod
    def check(cls, chunks: list[Any]) -> None:
        response = ProduceResponse.decode(b"".join(chunks), cls.version, _RESPONSE_HEADER)
        code = response.responses[0].partition_responses[0].error_code
        if code:
            raise RuntimeError(f"what is measured is a refusal with code {code}")


def fetch(partition_count: int, topic_id: bytes, *, offset: int = 0) -> memoryview:
    partitions = [
        FetchPartition(partition=i, fetch_offset=offset, partition_max_bytes=1 << 20) for i in range(partition_count)
    ]
    request = FetchRequest(max_wait_ms=0, min_bytes=1, topics=[FetchTopic(topic_id=topic_id, partitions=partitions)])
    return frame(request, 16)


class SessionFetch:
    """An incremental fetch of a session in which nothing happens, again and again: its epoch rises each time."""

    _SESSION_AT = 13  # in the body: wait, two sizes and the isolation level come before

    def __init__(self, partition_count: int, topic_id: bytes, *, offset: int = 0) -> None:
        """`offset` is where partition 0 is read from: its end, for a session in which nothing happens."""
        partitions = [
            FetchPartition(partition=i, fetch_offset=0 if i else offset, partition_max_bytes=1 << 20)
            for i in range(partition_count)
        ]
        topics = [FetchTopic(topic_id=topic_id, partitions=partitions)]
        self.first = frame(FetchRequest(max_wait_ms=0, min_bytes=1, session_epoch=0, topics=topics), 16)
        self._frame = frame(FetchRequest(max_wait_ms=0, min_bytes=1), 16)
        header = RequestHeader(FetchRequest.api_key, 16, 7, "rdkafka")
        self._session = self._frame[len(header.encode()) + self._SESSION_AT :][:8]
        self._id = self._epoch = 0

    def begin(self, chunks: list[Any]) -> None:
        self._id = FetchResponse.decode(b"".join(chunks), 16, _RESPONSE_HEADER).session_id
        if not self._id:
            raise RuntimeError("no fetch session was given")

    def __call__(self) -> memoryview:
        self._epoch += 1
        _SESSION.pack_into(self._session, 0, self._id, self._epoch)
        return self._frame


def release(handled: Any) -> None:
    if isinstance(handled, Parked):
        raise RuntimeError("a micro-benchmark cannot wait")
    for chunk in handled:
        if isinstance(chunk, FileSlice):
            chunk.release()


def finished(work: Any) -> Any:
    """What a coroutine gives that never really waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("a micro-benchmark cannot wait")


class Harness:
    """A node's dispatcher, asked directly, with one topic."""

    def __init__(self, dispatcher: Dispatcher, topic_id: bytes, port: int) -> None:
        self._dispatcher = dispatcher
        self._peer = Peer()
        self._peer.caller.samples = samples = BatchSamples()
        self._peer.caller.skips = samples.skips
        for slot in FIRST_OPENED * list(range(len(samples.skips))):
            samples.opened(slot)  # so that one batch in a hundred is
        self.topic_id = topic_id
        self.port = port

    def handle(self, request: memoryview) -> Any:
        handled = self._dispatcher.handle(request, self._peer)  # type: ignore[arg-type]
        return handled if type(handled) is list else finished(handled)

    def answer(self, request: memoryview) -> None:
        release(self.handle(request))

    def answer_produce(self, request: Produce) -> None:
        self.handle(request())


async def _open_at_once(opener: BatchOpener, *batch: Any) -> Opened:
    """In place of the way to a thread and back: what is looked into costs its walk here too."""
    return opener.open(*batch)


@asynccontextmanager
async def harness(
    folder: Path,
    *,
    partitions: int = 100,
    settings: Mapping[str, str] | None = None,
    prepare: Callable[[Node], None] = lambda _node: None,
) -> AsyncIterator[Harness]:
    """`prepare` comes before the topic is made."""
    static = {"log.dirs": str(folder), "listeners": "PLAINTEXT://127.0.0.1:0", **(settings or {})}
    with patch.object(BatchOpener, "open_in_thread", _open_at_once):
        async with Node(Config.for_broker(static)).running() as node:
            prepare(node)
            topic = CreatableTopic(TOPIC, num_partitions=partitions, replication_factor=1)
            creation = CreateTopicsRequest(topics=[topic])
            assert node.dispatcher is not None and node.partitions is not None
            await node.dispatcher.handle(frame(creation, 7), Peer())  # type: ignore[arg-type, misc]
            yield Harness(node.dispatcher, next(iter(node.partitions)).topic_id, node.endpoints["PLAINTEXT"].port)


def fetches(broker: Harness) -> list[Cost]:
    """What it takes to put an answer together: nothing new, some records, one partition of many with records."""
    idle = SessionFetch(100, broker.topic_id)
    idle.begin(broker.handle(idle.first))
    quiet = Cost(
        "fetch.session_100", "Fetch v16, 100 idle partitions in a session", cost_us(lambda: broker.answer(idle()))
    )
    first = Produce(1, 1024)
    first.check(broker.handle(first()))
    one, many = fetch(1, broker.topic_id), fetch(100, broker.topic_id)
    return [
        quiet,
        Cost("fetch.one", "Fetch v16, one partition of records", cost_us(partial(broker.answer, one))),
        Cost("fetch.100", "Fetch v16, 100 partitions, one with records", cost_us(partial(broker.answer, many))),
    ]


def questions(broker: Harness) -> list[Cost]:
    metadata = frame(MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)]), 13)
    versions = frame(ApiVersionsRequest("bench", "1"), 3)
    return [
        Cost("dispatch.api_versions", "ApiVersions v3", cost_us(partial(broker.answer, versions))),
        Cost(
            "dispatch.metadata", "Metadata v13, one topic of 100 partitions", cost_us(partial(broker.answer, metadata))
        ),
    ]


def produces(broker: Harness) -> list[Cost]:
    kinds = {
        ("produce.100", "Produce v10, one record of 100 B"): Produce(1, 100),
        ("produce.100_all", "the same, acks=all"): Produce(1, 100, acks=-1),
        ("produce.16k", "Produce v10, 16 KB"): Produce(16, 1000),
        ("produce.1m", "Produce v10, 1 MB"): Produce(960, 1024),
    }
    costs = []
    for (key, title), produce in kinds.items():
        produce.check(broker.handle(produce()))
        calls_max = _WRITTEN_BYTES_MAX // REPEATS // len(produce())
        costs.append(Cost(key, title, cost_us(partial(broker.answer_produce, produce), calls_max)))
    return costs


async def measure(folder: Path) -> list[Cost]:
    async with harness(folder) as broker:
        return [*fetches(broker), *questions(broker), *produces(broker)]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        show("CPU time of a request", asyncio.run(measure(Path(folder))))


if __name__ == "__main__":
    main()
