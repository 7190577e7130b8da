"""What a request costs the broker's own code, without sockets and clients: python -m benchmarks.micro_dispatch

Runs frames through the dispatcher of a real node with a real log and prints CPU time a request, the best of several
repeats. Asserts nothing. Steadier than the benchmark with real clients, and so the place to see what a change brings.
"""

import asyncio
import gc
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from struct import Struct
from time import process_time_ns, time
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from penstock.broker import node as node_module
from penstock.broker.callers import Caller
from penstock.broker.connection import Parked
from penstock.broker.dispatch import Dispatcher
from penstock.broker.node import Node
from penstock.log import FileSlice
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
REPEATS = 7
_ENOUGH_NS = 150_000_000
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

    def __init__(self, records: int, record_bytes: int, *, acks: int = 1, version: int = 10) -> None:
        now = int(time() * 1000)
        batch = build_batch([Record(i, now, None, bytes(record_bytes)) for i in range(records)])
        partition = PartitionProduceData(index=0, records=batch)
        topic = TopicProduceData(name=TOPIC, partition_data=[partition])
        self._version = version
        self._frame = frame(ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=[topic]), version)
        self._offset = self._frame[len(self._frame) - _TAGS_AFTER_RECORDS - len(batch) :][:8]

    def __call__(self) -> memoryview:
        self._offset[:] = _NO_OFFSET
        return self._frame

    def check(self, chunks: list[Any]) -> None:
        response = ProduceResponse.decode(b"".join(chunks), self._version, _RESPONSE_HEADER)
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

    def __init__(self, partition_count: int, topic_id: bytes) -> None:
        partitions = [FetchPartition(partition=i, partition_max_bytes=1 << 20) for i in range(partition_count)]
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


def cost_us(work: Callable[[], Any], calls_max: int = 1 << 20) -> float:
    """CPU time of one call: the best of several repeats, since noise only adds."""
    calls = 1
    while calls < calls_max and _spent_ns(work, calls) < _ENOUGH_NS / 4:
        calls *= 2
    return min(_spent_ns(work, calls) for _ in range(REPEATS)) / calls / 1000


def _spent_ns(work: Callable[[], Any], calls: int) -> int:
    gc.collect()
    began = process_time_ns()
    for _ in range(calls):
        work()
    return process_time_ns() - began


async def measure(folder: Path) -> list[tuple[str, float]]:
    made: list[Dispatcher] = []

    def making(*arguments: Any, **named: Any) -> Dispatcher:
        made.append(Dispatcher(*arguments, **named))
        return made[0]

    static = {"log.dirs": str(folder), "listeners": "PLAINTEXT://127.0.0.1:0"}
    with patch.object(node_module, "Dispatcher", making):
        async with Node(Config.for_broker(static)).running() as node:
            dispatcher, peer = made[0], Peer()

            def handle(request: memoryview) -> Any:
                handled = dispatcher.handle(request, peer)  # type: ignore[arg-type]
                return handled if type(handled) is list else finished(handled)

            def answer(request: memoryview) -> None:
                release(handle(request))

            def answer_produce(request: Produce) -> None:
                handle(request())

            creation = CreateTopicsRequest(topics=[CreatableTopic(TOPIC, num_partitions=100, replication_factor=1)])
            await dispatcher.handle(frame(creation, 7), peer)  # type: ignore[arg-type, misc]
            assert node.partitions is not None
            topic_id = next(iter(node.partitions)).topic_id
            idle = SessionFetch(100, topic_id)
            idle.begin(handle(idle.first))
            costs = [("Fetch v16, 100 idle partitions in a session", cost_us(lambda: answer(idle())))]
            first = Produce(1, 1024)
            first.check(handle(first()))
            asked = {
                "Fetch v16, one partition of records": fetch(1, topic_id),
                "Fetch v16, 100 partitions, one with records": fetch(100, topic_id),
                "ApiVersions v3": frame(ApiVersionsRequest("bench", "1"), 3),
                "Metadata v13, one topic of 100 partitions": frame(
                    MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)]), 13
                ),
            }
            produced = {
                "Produce v10, one record of 100 B": Produce(1, 100),
                "the same, acks=all": Produce(1, 100, acks=-1),
                "Produce v10, 16 KB": Produce(16, 1000),
                "Produce v10, 1 MB": Produce(960, 1024),
            }
            costs += [(name, cost_us(partial(answer, request))) for name, request in asked.items()]
            for name, produce in produced.items():
                produce.check(handle(produce()))
                calls_max = _WRITTEN_BYTES_MAX // REPEATS // len(produce())
                costs.append((name, cost_us(partial(answer_produce, produce), calls_max)))
            return costs


def main() -> None:
    table = Table("request", "CPU µs")
    table.columns[1].justify = "right"
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        for name, cost in asyncio.run(measure(Path(folder))):
            table.add_row(name, f"{cost:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
