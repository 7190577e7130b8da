"""The steps whose instructions are counted, all or with "idempotence" those alone; under `counting.count` only.

Codec, append, dispatch and fetch assembly are calls, as in `benchmarks.micro`. The last steps go over real sockets and
the event loop: a record on its way to a consumer that waits for it, and one that two followers take in before its
producer is answered, all three brokers counted together.
"""

import asyncio
import socket
import sys
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from struct import Struct

import structlog
from tests.support.logs import a_batch, a_log
from tests.support.nodes import some_nodes

from benchmarks import micro_codec
from benchmarks.instructions.counting import Counter
from benchmarks.micro_dispatch import TOPIC, Harness, Produce, SessionFetch, fetch, frame, harness
from benchmarks.micro_idempotence import SIZES, Frames
from penstock.wire.api import ApiKey, request_type, response_type
from penstock.wire.batch import BASE_OFFSET, BatchHeader
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic

CALLS = 300
_LARGE_CALLS = 30
_SIZE, _OFFSET = Struct(">i"), Struct(">q")
_PRODUCER_ID = 7_000
_TURNS = 3
_ROUNDS = 3
_PARTS = 10


def codec(counter: Counter) -> None:
    produced, fetched = micro_codec.produce_of_16_kib(), micro_codec.fetch_of_50_partitions()
    for name, message, kind, version in (
        ("Produce v9, 16 KiB", produced, request_type(ApiKey.PRODUCE), 9),
        ("Fetch v12, 50 partitions", fetched, response_type(ApiKey.FETCH), 12),
    ):
        encoded = message.encode(version)
        counter.each(f"encode {name}", message.encode, [version] * CALLS)
        counter.each(f"decode {name}", partial(kind.decode, encoded), [version] * CALLS)


def append(counter: Counter, folder: Path) -> None:
    log = a_log(folder, settings={"segment.bytes": str(1 << 30)})
    _, view = a_batch(0, value_bytes=100)
    writable = memoryview(bytearray(view))

    def once(_number: int) -> None:
        BASE_OFFSET.pack_into(writable, 0, log.end_offset)
        log.append([(BatchHeader.peek(writable), writable)])

    counter.each("append of 100 B to a log", once, range(CALLS))
    log.flushing.close()


def dispatch(counter: Counter, broker: Harness) -> None:
    for name, request in (
        ("ApiVersions v3", frame(ApiVersionsRequest("bench", "1"), 3)),
        ("Metadata v13, 100 partitions", frame(MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)]), 13)),
    ):
        counter.each(f"dispatch of {name}", broker.answer, [request] * CALLS)


def produce(counter: Counter, broker: Harness) -> None:
    for number, (key, (records, record_bytes, _title)) in enumerate(SIZES.items()):
        frames = Frames(records, record_bytes)
        frames.count = CALLS // _ROUNDS if record_bytes * records < 100_000 else _LARGE_CALLS // _ROUNDS
        for producer_id in range(_PRODUCER_ID + number * _ROUNDS, _PRODUCER_ID + (number + 1) * _ROUNDS):
            counter.each(f"plain.{key}", broker.handle, frames.of(-1))
            *requests, last = frames.of(producer_id)
            counter.each(f"idempotent.{key}", broker.handle, requests)
            Produce.check(broker.handle(last))  # its sequence number fits only if all before it were taken


def assemble(counter: Counter, broker: Harness) -> None:
    idle = SessionFetch(99, broker.topic_id)
    idle.begin(broker.handle(idle.first))
    counter.each("fetch of 99 idle partitions in a session", lambda _number: broker.answer(idle()), range(CALLS))
    first = Produce(1, 1024)
    first.check(broker.handle(first()))
    counter.each("fetch of one partition with records", broker.answer, [fetch(1, broker.topic_id)] * CALLS)


class Client:
    """Asks over a real socket, on the loop of the broker that answers."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setblocking(False)

    def ask(self, request: memoryview) -> None:
        self._socket.send(_SIZE.pack(len(request)) + request)

    def answer(self) -> bytes:
        return self._socket.recv(1 << 16)

    def close(self) -> None:
        self._socket.close()


async def wake(counter: Counter, broker: Harness) -> None:
    """Both answers are read and the next fetch is parked again: what a record costs that comes alone."""
    producer, consumer = Client(broker.port), Client(broker.port)
    partition = FetchPartition(partition=1, fetch_offset=0, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic_id=broker.topic_id, partitions=[partition])]
    waiting = frame(FetchRequest(max_wait_ms=60_000, min_bytes=1, topics=topics), 16)
    offset_at = bytes(waiting).rindex(broker.topic_id) + 16 + 1 + 4 + 4
    record = Produce(1, 1024, partition=1)

    async def once(number: int) -> None:
        _OFFSET.pack_into(waiting, offset_at, number)
        consumer.ask(waiting)
        await turns()
        producer.ask(record())
        await turns()
        if len(consumer.answer()) < 1024:
            raise RuntimeError("the fetch was not woken with the record")
        producer.answer()

    for number in range(CALLS // 10):
        await once(number)
    with counter.counted("turns", CALLS):
        for _ in range(CALLS):
            await turns()
            await turns()
    offsets = iter(range(CALLS // 10, CALLS // 10 + CALLS))
    for _ in range(_PARTS):
        with counter.counted("a record through a parked fetch", CALLS // _PARTS):
            for number in islice(offsets, CALLS // _PARTS):
                await once(number)
    producer.close()
    consumer.close()


async def replicate(counter: Counter, folder: Path) -> None:
    """Three brokers on one loop, so a turn of it serves all: of brokers each with its own, turns would be added."""
    async with some_nodes(folder, 3, {"min.insync.replicas": "2"}) as nodes:
        await nodes.create_topic(TOPIC, replicas=(1, 2, 3))
        await nodes.until_in_sync(TOPIC, 1, 2, 3)
        producer = Client(nodes[1].endpoints["PLAINTEXT"].port)
        record = Produce(1, 1024, acks=-1)

        async def once() -> None:
            producer.ask(record())
            while True:
                await asyncio.sleep(0)
                try:
                    Produce.check([producer.answer()])
                except BlockingIOError:
                    continue
                return

        for _ in range(CALLS // 10):
            await once()
        for _ in range(_PARTS):  # leases and heartbeats of three brokers fall into some of them
            with counter.counted("a record through two followers", CALLS // _PARTS):
                for _ in range(CALLS // _PARTS):
                    await once()
        producer.close()


async def turns() -> None:
    """As many turns of the loop as it takes to find a request and to answer it."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)


async def with_a_broker(counter: Counter, folder: Path, *, only_idempotence: bool) -> None:
    async with harness(folder) as broker:
        if only_idempotence:
            produce(counter, broker)
            return
        assemble(counter, broker)
        dispatch(counter, broker)
        produce(counter, broker)
        await wake(counter, broker)


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    counter, only_idempotence = Counter(), "idempotence" in sys.argv
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as name:
        if not only_idempotence:
            codec(counter)
            append(counter, Path(name, "log"))
        asyncio.run(with_a_broker(counter, Path(name, "broker"), only_idempotence=only_idempotence))
        if not only_idempotence:
            asyncio.run(replicate(counter, Path(name, "brokers")))


if __name__ == "__main__":
    main()
