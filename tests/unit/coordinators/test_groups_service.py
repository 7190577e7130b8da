"""Groups as handlers use them, on a cluster whose topics come and go."""

import asyncio
from typing import Any

import pytest
from tests.support.groups_service import groups_world

from penstock.coordinators.transactions import AddOrVerifyPartitions
from penstock.errors import NotCoordinator, NotEnoughReplicas
from penstock.model import TopicPartition
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from penstock.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)


async def test_a_topic_made_anew_begins_at_its_beginning_though_nothing_can_be_taken_back() -> None:
    async with groups_world() as world:
        part = OffsetCommitRequestPartition(0, 5, -1, "")
        topic = OffsetCommitRequestTopic("orders", world.id_of("orders"), [part])
        await world.groups.commit(OffsetCommitRequest(group_id="g", topics=[topic]), api_version=10)
        assert await world.committed("orders") == 5
        world.partition.fault = NotEnoughReplicas()
        await world.make_anew("orders")
        assert await world.committed("orders") == -1


async def test_stable_offsets_cost_a_write_where_it_can_prove_who_leads() -> None:
    async with groups_world() as world:
        written = []
        for can_prove, require_stable in ((True, True), (True, False), (False, True), (False, False)):
            world.partition.can_prove_lead = can_prove
            before = len(world.partition.log.batches)
            await world.groups.fetch_offsets("g", [("orders", [0])], require_stable=require_stable)
            written.append(len(world.partition.log.batches) - before)
        assert written == [1, 0, 0, 0]


async def test_stable_offsets_are_told_when_the_write_that_proves_who_leads_is_replicated() -> None:
    """A coordinator that was replaced and does not know it gets none replicated (ADR 36)."""
    async with groups_world() as world:
        world.partition.can_prove_lead, world.partition.replicates = True, False
        asked = asyncio.create_task(world.groups.fetch_offsets("g", [("orders", [0])], require_stable=True))
        while not world.partition.log.batches and not asked.done():
            await asyncio.sleep(0)
        assert not asked.done()
        world.partition.catch_up()
        assert (await asked).topics[0].partitions[0].committed_offset == -1


async def test_whoever_waits_when_it_stops_is_told_to_look_elsewhere() -> None:
    async with groups_world() as world:
        world.partition.can_prove_lead, world.partition.replicates = True, False
        asked = asyncio.create_task(world.groups.fetch_offsets("g", [("orders", [0])], require_stable=True))
        while not world.partition.log.batches and not asked.done():
            await asyncio.sleep(0)
        world.groups.stop()
        with pytest.raises(NotCoordinator):
            await asyncio.wait_for(asked, 60)


async def test_a_topic_made_anew_begins_at_its_beginning_though_a_transaction_commits_on_the_former() -> None:
    async with groups_world() as world:

        class Gate:
            """Takes as long as a topic needs to be made anew."""

            async def admit(self, asked: AddOrVerifyPartitions, **_: Any) -> dict[TopicPartition, None]:
                await world.make_anew("orders")
                return dict.fromkeys(asked.partitions)

        part = TxnOffsetCommitRequestPartition(0, 5, -1, "")
        request = TxnOffsetCommitRequest(
            transactional_id="t", group_id="g", producer_id=7, topics=[TxnOffsetCommitRequestTopic("orders", [part])]
        )
        ids = {"orders": world.id_of("orders")}
        await world.groups.commit_in_transaction(request, api_version=5, topic_ids=ids, gate=Gate())
        await world.groups.complete_transaction(
            0, Marker(MarkerType.COMMIT, 0), producer_id=7, producer_epoch=0, transaction_version=2
        )
        assert await world.committed("orders") == -1
