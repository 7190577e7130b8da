"""Markers on their way to the leaders of partitions: asked again until all have them, or until it is another's task."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, cast

import pytest
from tests.support.clusters import a_cluster
from tests.support.transactions import part

from penstock.cluster import Cluster, CreateTopic
from penstock.coordinators.transactions import MarkersDue, TransactionVersion, marker_sender
from penstock.coordinators.transactions.marker_sender import MarkerSender
from penstock.coordinators.transactions.marker_writer import MarkerEntry, MarkerWriter, Outcomes
from penstock.errors import (
    InvalidProducerEpoch,
    NetworkFailure,
    NotLeaderOrFollower,
    Refusal,
    TransactionCoordinatorFenced,
)
from penstock.metastore import Unavailable
from penstock.model import BrokerId
from penstock.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest
from penstock.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)


class Writer:
    """Refuses each partition as often as it is told to."""

    def __init__(self, *refusals: Refusal) -> None:
        self.refusals = list(refusals)
        self.written: list[MarkerEntry] = []

    async def write(self, entries: Sequence[MarkerEntry]) -> list[Outcomes]:
        await asyncio.sleep(0)
        self.written += entries
        refusal = self.refusals.pop(0) if self.refusals else None
        return [dict.fromkeys(entry.partitions, refusal) for entry in entries]


class Peers:
    def __init__(self, *codes: int) -> None:
        self.codes = list(codes)
        self.asked: list[tuple[BrokerId, WriteTxnMarkersRequest]] = []

    async def ask(
        self, broker_id: BrokerId, request: Any, *, version: int, timeout_s: float, connection_name: str = ""
    ) -> Any:
        self.asked.append((broker_id, request))
        if not self.codes:
            raise NetworkFailure
        code = self.codes.pop(0)
        marker = request.markers[0]
        topics = [
            WritableTxnMarkerTopicResult(
                topic.name, [WritableTxnMarkerPartitionResult(index, code) for index in topic.partition_indexes]
            )
            for topic in marker.topics
        ]
        return WriteTxnMarkersResponse([WritableTxnMarkerResult(marker.producer_id, topics)])


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marker_sender, "FIRST_PAUSE_S", 0)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        await one.controller.create_topics([CreateTopic("orders", partitions=3)], timeout_ms=60_000)
        yield one


def due(*partitions: int, commits: bool = True) -> MarkersDue:
    return MarkersDue(
        transactional_id="t",
        producer_id=9,
        producer_epoch=4,
        commits=commits,
        partitions=frozenset(map(part, partitions)),
        version=TransactionVersion.TV2,
        coordinator_index=7,
        coordinator_epoch=3,
    )


async def deliver(
    cluster: Cluster,
    order: MarkersDue,
    writer: Writer,
    peers: Peers | None = None,
    *,
    here: int = 1,
    tries: int = 99,
    catch_up: Callable[[], Awaitable[None]] | None = None,
) -> bool:
    left = iter(range(tries))
    out = MarkerSender(
        broker_id=BrokerId(here),
        image=cluster.image,
        writer=cast(MarkerWriter, writer),
        peers=peers or Peers(),
        spawn=asyncio.ensure_future,
        catch_up=catch_up or cluster.in_sync_writes.catch_up,
    )
    return await out.deliver(order, is_wanted=lambda: next(left, None) is not None)


async def test_partitions_led_here_are_written_in_place(cluster: Cluster) -> None:
    writer = Writer()
    assert await deliver(cluster, due(0, 2), writer)
    (entry,) = writer.written
    assert entry.partitions == [part(0), part(2)]
    assert (entry.marker.type.name, entry.marker.coordinator_epoch) == ("COMMIT", 3)
    assert (entry.producer_id, entry.producer_epoch, entry.transaction_version) == (9, 4, 2)


async def test_whoever_cannot_write_is_asked_again(cluster: Cluster) -> None:
    writer = Writer(NotLeaderOrFollower(), NotLeaderOrFollower())
    assert await deliver(cluster, due(0), writer)
    assert len(writer.written) == 3


async def test_a_partition_that_is_gone_needs_no_marker(cluster: Cluster) -> None:
    writer = Writer()
    assert await deliver(cluster, due(0, 5), writer)
    assert [entry.partitions for entry in writer.written] == [[part(0)]]
    assert await deliver(cluster, due(), writer)


async def test_a_partition_that_the_image_lacks_is_looked_for_before_it_counts_as_gone(cluster: Cluster) -> None:
    writer = Writer()
    partitions = cluster.image.topics["orders"].partitions
    late = partitions.pop()  # its news is still on the way

    async def catch_up() -> None:
        partitions.append(late)

    assert await deliver(cluster, due(0, 2), writer, catch_up=catch_up)
    assert [entry.partitions for entry in writer.written] == [[part(0), part(2)]]


async def test_nothing_counts_as_gone_while_the_metadata_store_is_away(cluster: Cluster) -> None:
    writer = Writer()

    async def catch_up() -> None:
        raise Unavailable("away")

    assert not await deliver(cluster, due(0, 5), writer, tries=4, catch_up=catch_up)
    assert writer.written == []


async def test_a_partition_that_knows_a_newer_coordinator_ends_the_matter(cluster: Cluster) -> None:
    writer = Writer(TransactionCoordinatorFenced())
    assert not await deliver(cluster, due(0, 1), writer)
    assert len(writer.written) == 1


async def test_a_partition_that_knows_a_later_epoch_of_the_producer_needs_no_marker(cluster: Cluster) -> None:
    """Anybody may have brought it; the transactional id, and the other partitions, would wait for an end for good."""

    class Partly(Writer):
        async def write(self, entries: Sequence[MarkerEntry]) -> list[Outcomes]:
            return [outcomes | {part(0): InvalidProducerEpoch()} for outcomes in await super().write(entries)]

    writer = Partly(NotLeaderOrFollower())
    assert await deliver(cluster, due(0, 1), writer)
    assert [entry.partitions for entry in writer.written] == [[part(0), part(1)], [part(1)]]


async def test_a_coordinator_that_has_moved_asks_no_more(cluster: Cluster) -> None:
    writer = Writer(*(NotLeaderOrFollower() for _ in range(50)))
    assert not await deliver(cluster, due(0), writer, tries=4)
    assert len(writer.written) < 5


async def test_other_leaders_are_asked_by_request_until_they_answer(cluster: Cluster) -> None:
    peers = Peers(NotLeaderOrFollower.code, 0)
    assert await deliver(cluster, due(0, 1, commits=False), Writer(), peers, here=8)
    assert [broker for broker, _ in peers.asked] == [1, 1]
    (marker,) = peers.asked[0][1].markers
    assert (marker.producer_id, marker.producer_epoch, marker.transaction_result) == (9, 4, False)
    assert (marker.coordinator_epoch, marker.transaction_version) == (3, 2)
    assert [(topic.name, topic.partition_indexes) for topic in marker.topics] == [("orders", [0, 1])]


async def test_a_leader_that_cannot_be_reached_is_asked_for_as_long_as_it_matters(cluster: Cluster) -> None:
    peers = Peers()
    assert not await deliver(cluster, due(0), Writer(), peers, here=8, tries=10)
    assert len(peers.asked) >= 4
