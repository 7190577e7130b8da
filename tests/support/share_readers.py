"""ShareFetch and ShareAcknowledge on a handful of partitions, called as dispatch calls them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from tests.support.clocks import ManualClock
from tests.support.logs import TOPIC_ID
from tests.support.partitions import TOPIC, SomePartitions
from tests.support.quotas import SomeQuotas
from tests.support.share_states import StatesInMemory

from penstock.access.authorizer import Authorizer
from penstock.broker.after_receive import AfterReceive
from penstock.broker.deadlines import Deadlines
from penstock.broker.handlers.share_acknowledge import share_acknowledge
from penstock.broker.handlers.share_fetch import share_fetch
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import RequestContext
from penstock.cluster import ClusterImage
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.delivery.shares.group_rules import GroupRules
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.service import ShareDelivery
from penstock.delivery.shares.share_partitions import SharePartitions
from penstock.errors import Refusal
from penstock.log import FileSlice
from penstock.metrics import MetricsRegistry
from penstock.replication import Partitions, Promise
from penstock.replication.log_port import on_disk
from penstock.settings import Config
from penstock.wire.messages.share_acknowledge_request import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from penstock.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from penstock.wire.messages.share_fetch_request import AcknowledgementBatch as FetchAcknowledgementBatch
from penstock.wire.messages.share_fetch_request import FetchPartition, FetchTopic, ForgottenTopic, ShareFetchRequest
from penstock.wire.messages.share_fetch_response import PartitionData, ShareFetchResponse

GROUP = "g"
Rows = Sequence[tuple[int, int, Sequence[int]]]
"""First and last offset, and what is said of them."""


class Rules:
    """Stands in for GroupRules: the same for every group, until a test changes it."""

    def __init__(self, rules: ShareRules) -> None:
        self.rules = rules

    def of(self, _group: str) -> ShareRules:
        return self.rules


class _Topic:
    name = TOPIC


class _Features:
    def require(self, _feature: str) -> None: ...


class Knows:
    """Stands in for the image."""

    topics_by_id = {TOPIC_ID: _Topic()}  # noqa: RUF012
    features = _Features()


class ShareBench:
    def __init__(self, folder: Path, count: int, rules: ShareRules, **settings: str) -> None:
        self.partitions = SomePartitions(folder, count)
        self.states = StatesInMemory()
        self.rules = Rules(rules)
        self.clock = ManualClock()
        self.registry = MetricsRegistry(1000)
        self.config = Config.for_broker({name.replace("_", "."): value for name, value in settings.items()})
        self.tasks: list[asyncio.Task[Any]] = []
        group_rules = cast(GroupRules, self.rules)
        self.share_partitions = SharePartitions(
            cast(Partitions, self.partitions),
            self.states,
            group_rules,
            config=self.config,
            clock=self.clock,
            spawn=self.spawn,
            registry=self.registry,
        )
        self.shares = ShareDelivery(self.share_partitions, group_rules, sessions_max=3, registry=self.registry)
        loop = asyncio.get_running_loop()
        self.afterwards, self.deadlines = AfterReceive(loop), Deadlines(loop)
        self.quotas = SomeQuotas()
        self.authorizer = Authorizer()
        self.callers: dict[str, Caller] = {}
        self.epochs: dict[str, int] = {}

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    def key(self, index: int = 0) -> SharePartitionKey:
        return SharePartitionKey(GROUP, TOPIC_ID, index)

    def context(self, member: str, version: int) -> RequestContext:
        caller = self.callers.setdefault(member, Caller(host="10.0.0.1"))
        return RequestContext(version, "me", "PLAINTEXT", "10.0.0.1:5", caller)

    def epoch_of(self, member: str, epoch: int | None) -> int:
        """The next one, as a client counts them."""
        if epoch is not None:
            return epoch
        next_epoch = self.epochs.get(member, 0)
        self.epochs[member] = next_epoch + 1
        return next_epoch

    # Asking -----------------------------------------------------------------------------------------------------

    def call(
        self,
        member: str = "m",
        partitions: Sequence[int] | None = None,
        *,
        epoch: int | None = None,
        version: int = 2,
        wait_ms: int = 0,
        min_bytes: int = 1,
        max_bytes: int = 1 << 20,
        max_records: int = 500,
        batch_size: int = 500,
        strict: bool = False,
        renews: bool = False,
        says: dict[int, Rows] | None = None,
        forgets: Sequence[int] = (),
        topic_id: bytes = TOPIC_ID,
        group: str | None = GROUP,
    ) -> Any:
        """What the handler gives. Names the partitions in the first request of a session, if none are told."""
        epoch = self.epoch_of(member, epoch)
        if partitions is None:
            partitions = list(self.partitions) if epoch == 0 else []
        said = {
            index: [FetchAcknowledgementBatch(first, last, list(types)) for first, last, types in rows]
            for index, rows in (says or {}).items()
        }
        parts = [FetchPartition(index, said.get(index, [])) for index in {*partitions, *said}]
        request = ShareFetchRequest(
            group_id=group,
            member_id=member,
            share_session_epoch=epoch,
            max_wait_ms=wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            max_records=max_records,
            batch_size=batch_size,
            topics=[FetchTopic(topic_id, parts)] if parts else [],
            forgotten_topics_data=[ForgottenTopic(TOPIC_ID, list(forgets))] if forgets else [],
        )
        if version >= 2:
            request.share_acquire_mode = int(strict)
            request.is_renew_ack = renews
        return share_fetch(
            memoryview(bytearray(request.encode(version))),
            0,
            self.context(member, version),
            self.shares,
            cast(Partitions, self.partitions),
            cast(ClusterImage, Knows()),
            self.authorizer,
            self.quotas.quotas,
            self.config,
            self.clock,
            self.afterwards,
            self.deadlines,
        )

    async def fetch(self, member: str = "m", partitions: Sequence[int] | None = None, **how: Any) -> ShareFetchResponse:
        return self.response(await self.come(self.call(member, partitions, **how)), how.get("version", 2))

    async def come(self, outcome: Any) -> Any:
        if asyncio.iscoroutine(outcome):
            outcome = await outcome
        return await outcome if isinstance(outcome, Promise) else outcome

    async def open(self, member: str = "m", partitions: Sequence[int] | None = None, **how: Any) -> ShareFetchResponse:
        """Begin a session, and wait until what is kept is read."""
        response = await self.fetch(member, partitions, **how)
        for index in self.partitions if partitions is None else partitions:
            if index in list(self.partitions):
                self.share_partitions.open(self.key(index), self.partitions[index])
        await self.settle()
        return response

    async def acknowledge(
        self, member: str, says: dict[int, Rows], *, epoch: int | None = None, version: int = 2, renews: bool = False
    ) -> dict[int, int]:
        """Error codes by partition."""
        response = await self.whole_acknowledge(member, says, epoch=epoch, version=version, renews=renews)
        return {part.partition_index: part.error_code for topic in response.responses for part in topic.partitions}

    async def whole_acknowledge(
        self,
        member: str,
        says: dict[int, Rows],
        *,
        epoch: int | None = None,
        version: int = 2,
        renews: bool = False,
        topic_id: bytes = TOPIC_ID,
    ) -> ShareAcknowledgeResponse:
        parts = [
            AcknowledgePartition(index, [AcknowledgementBatch(first, last, list(types)) for first, last, types in rows])
            for index, rows in says.items()
        ]
        request = ShareAcknowledgeRequest(
            group_id=GROUP,
            member_id=member,
            share_session_epoch=self.epoch_of(member, epoch),
            is_renew_ack=renews,
            topics=[AcknowledgeTopic(topic_id, parts)],
        )
        try:
            outcome = share_acknowledge(
                request,
                self.context(member, version),
                self.shares,
                cast(Partitions, self.partitions),
                cast(ClusterImage, Knows()),
                self.authorizer,
            )
        except Refusal as refusal:
            return ShareAcknowledgeResponse(error_code=refusal.code)
        return await outcome if isinstance(outcome, Promise) else outcome

    # Seeing -----------------------------------------------------------------------------------------------------

    def response(self, chunks: list[Any], version: int = 2) -> ShareFetchResponse:
        data = b""
        for chunk in chunks:
            if isinstance(chunk, FileSlice):
                data += chunk.read()
                chunk.release()
            else:
                data += bytes(chunk)
        return ShareFetchResponse.decode(data, version)

    async def settle(self) -> None:
        """Let what is under way end."""
        for _ in range(20):
            await asyncio.sleep(0)

    def hang_up(self, member: str) -> None:
        gone = self.callers.pop(member).on_gone
        self.epochs.pop(member, None)
        if gone is not None:
            gone()

    def pins(self) -> int:
        return sum(s.file.pins for i in self.partitions for s in on_disk(self.partitions[i].log).segments)


def parts_of(response: ShareFetchResponse) -> dict[int, PartitionData]:
    return {part.partition_index: part for topic in response.responses for part in topic.partitions}


def acquired(response: ShareFetchResponse, index: int = 0) -> list[tuple[int, int, int]]:
    part = parts_of(response).get(index)
    rows = () if part is None else part.acquired_records
    return [(row.first_offset, row.last_offset, row.delivery_count) for row in rows]


Make = Callable[..., ShareBench]
EARLIEST = ShareRules(reset="earliest")


@asynccontextmanager
async def share_benches(folder: Path) -> AsyncIterator[Make]:
    """Makes them, of so many partitions. At the end each must have let go of all its files."""
    made: list[ShareBench] = []

    def making(count: int = 1, rules: ShareRules = EARLIEST, **settings: str) -> ShareBench:
        made.append(ShareBench(folder / str(len(made)), count, rules, **settings))
        return made[-1]

    yield making
    for bench in made:
        for share in list(bench.share_partitions):
            bench.share_partitions.drop(share)
        bench.states.gate.set()
        await bench.settle()
        await asyncio.gather(*bench.tasks)
        assert bench.pins() == 0
        await bench.partitions.close()
