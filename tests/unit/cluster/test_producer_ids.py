"""Producer ids that brokers have at hand when the metadata store is away, and never give out twice. In virtual time."""

import pytest
from tests.support.brokers import Brokers, some_brokers
from tests.support.virtual_time import in_virtual_time

from penstock.cluster.producer_ids import BLOCK_SIZE
from penstock.errors import CoordinatorLoadInProgress


async def given(brokers: Brokers, broker: int, count: int = 1) -> list[int]:
    return [await brokers.clusters[broker].producer_ids.next() for _ in range(count)]


async def with_spares(brokers: Brokers) -> None:
    """Time for all that is fetched in the background."""
    await brokers.pass_time(5)


@in_virtual_time
async def test_a_broker_that_has_just_started_gives_out_ids_without_the_store() -> None:
    async with some_brokers(2) as brokers:
        await brokers.stop(1)
        await brokers.start(1)
        await with_spares(brokers)
        brokers.lines[1].is_cut = True
        assert len(set(await given(brokers, 1, BLOCK_SIZE))) == BLOCK_SIZE


@in_virtual_time
async def test_a_spare_block_is_there_whenever_one_is_begun() -> None:
    async with some_brokers(1) as brokers:
        await given(brokers, 1, BLOCK_SIZE + 1)
        await with_spares(brokers)
        brokers.lines[1].is_cut = True
        assert len(set(await given(brokers, 1, 2 * BLOCK_SIZE - 1))) == 2 * BLOCK_SIZE - 1


@in_virtual_time
async def test_whoever_has_none_left_says_why() -> None:
    async with some_brokers(1) as brokers:
        await with_spares(brokers)
        brokers.lines[1].is_cut = True
        await given(brokers, 1, BLOCK_SIZE)
        with pytest.raises(CoordinatorLoadInProgress, match="metadata store does not answer"):
            await given(brokers, 1)
        brokers.lines[1].is_cut = False
        await given(brokers, 1)


@in_virtual_time
async def test_no_id_is_given_out_by_two_brokers_or_two_lives_of_one() -> None:
    async with some_brokers(3) as brokers:
        ids = [each for broker in (1, 2, 3) for each in await given(brokers, broker, BLOCK_SIZE + 1)]
        await brokers.kill(2)
        await brokers.start(2)
        ids += await given(brokers, 2, BLOCK_SIZE + 1)
        assert len(set(ids)) == len(ids)


@in_virtual_time
async def test_no_spare_holds_ids_that_the_logs_of_a_later_broker_show() -> None:
    """The store was taken back to its beginning. The first brokers to start fetch spares and find nothing amiss; it is
    the last one's logs that show which ids are in use.
    """
    in_use = range(3 * BLOCK_SIZE)
    async with some_brokers(2) as brokers:
        await with_spares(brokers)
        brokers.producer_id_next = in_use.stop
        await brokers.start(3)
        await with_spares(brokers)
        ids = [each for broker in (1, 2, 3) for each in await given(brokers, broker, 2 * BLOCK_SIZE)]
        assert not set(ids) & set(in_use) and len(set(ids)) == len(ids)
