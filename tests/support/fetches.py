"""The Fetch handler on a handful of partitions, called as dispatch calls it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.support.clocks import ManualClock
from tests.support.logs import TOPIC_ID
from tests.support.partitions import TOPIC, SomePartitions
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.after_receive import AfterReceive
from penstock.broker.clock import SystemDice
from penstock.broker.deadlines import Deadlines
from penstock.broker.fetch_sessions import FetchSessions
from penstock.broker.handlers.fetch import fetch
from penstock.broker.registry import RequestContext
from penstock.cluster import ReadBarrier
from penstock.log import FileSlice
from penstock.replication import Partitions
from penstock.replication.log_port import on_disk
from penstock.replication.replica_sessions import ReplicaSessions
from penstock.settings import Config
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import FetchResponse, PartitionData


class Store:
    """The metadata store as the image follows it: what happens to the image when it catches up."""

    def __init__(self) -> None:
        self.news: Callable[[], object] = lambda: None
        self.times = 0

    async def catch_up(self) -> None:
        self.times += 1
        await asyncio.sleep(0)
        self.news()


class FetchBench:
    def __init__(self, folder: Path, count: int) -> None:
        self.partitions = SomePartitions(folder, count)
        self.sessions = FetchSessions(slots_max=10, clock=ManualClock(), dice=SystemDice())
        self.config = Config.for_broker()
        self.replicas = cast(ReplicaSessions, None)  # who is no replica does without
        self.afterwards = AfterReceive(asyncio.get_running_loop())
        self.deadlines = Deadlines(asyncio.get_running_loop())
        self.store = Store()
        self.quotas = SomeQuotas()
        self.authorizer = Authorizer()
        self.read_barrier = ReadBarrier(self.store.catch_up, spawn=asyncio.ensure_future)

    def call(
        self,
        offsets: dict[int, int],
        *,
        version: int = 16,
        wait_ms: int = 0,
        session: tuple[int, int] = (0, -1),
        committed_only: bool = False,
        isolation_level: int | None = None,
        epoch: int = -1,
        min_bytes: int = 1,
        between: FetchTopic | None = None,
        bytes_max: int = 1 << 20,
    ) -> Any:
        """What the handler gives for a fetch at these offsets, by partition; `between`: with a topic that comes after
        each.
        """
        parts = [FetchPartition(partition=i, fetch_offset=o, partition_max_bytes=bytes_max) for i, o in offsets.items()]
        topic = FetchTopic(partitions=parts)
        if version >= 13:
            topic.topic_id = TOPIC_ID
        else:
            topic.topic = TOPIC
        topics = [topic] if offsets else []
        if between is not None:
            topics = [each for part in parts for each in (FetchTopic(topic.topic, topic.topic_id, [part]), between)]
        request = FetchRequest(max_wait_ms=wait_ms, min_bytes=min_bytes, topics=topics)
        request.isolation_level = int(committed_only) if isolation_level is None else isolation_level
        if version >= 7:
            request.session_id, request.session_epoch = session
        if version >= 9:
            for part in parts:
                part.current_leader_epoch = epoch
        context = RequestContext(api_version=version, client_id="me", listener="PLAINTEXT", peer="10.0.0.1:5")
        knows: Any = SimpleNamespace(topics={TOPIC: None}, topics_by_id={TOPIC_ID: None})
        return fetch(
            memoryview(bytearray(request.encode(version))),
            0,
            context,
            cast(Partitions, self.partitions),
            knows,
            self.sessions,
            self.config,
            self.replicas,
            self.read_barrier,
            self.afterwards,
            self.deadlines,
            self.authorizer,
            self.quotas.quotas,
        )

    def call_and_release(self, offsets: dict[int, int]) -> None:
        self.response(self.call(offsets))

    def response(self, chunks: list[Any], version: int = 16) -> FetchResponse:
        data = b""
        for chunk in chunks:
            if isinstance(chunk, FileSlice):
                data += chunk.read()
                chunk.release()
            else:
                data += bytes(chunk)
        return FetchResponse.decode(data, version)

    def read(self, chunks: list[Any], version: int = 16) -> dict[int, PartitionData]:
        topics = self.response(chunks, version).responses
        return {part.partition_index: part for topic in topics for part in topic.partitions}

    def pins(self) -> int:
        return sum(s.file.pins for i in self.partitions for s in on_disk(self.partitions[i].log).segments)


Make = Callable[[int], FetchBench]


@asynccontextmanager
async def fetch_benches(folder: Path) -> AsyncIterator[Make]:
    """Makes them, of so many partitions. At the end each must have let go of all its files."""
    made: list[FetchBench] = []

    def making(count: int) -> FetchBench:
        made.append(FetchBench(folder / str(len(made)), count))
        return made[-1]

    yield making
    for bench in made:
        assert bench.pins() == 0
        await bench.partitions.close()
