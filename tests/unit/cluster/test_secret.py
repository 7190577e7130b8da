"""The secret of a cluster is exchanged in steps, between which any two brokers have one in common."""

from itertools import pairwise

import pytest
from tests.support.clusters import SeededDice

from penstock.broker.clock import SystemClock
from penstock.cluster import Keys, Secrets, exchange_secret
from penstock.cluster.membership.secret import ensure_secret
from penstock.metastore import MemoryMetastore

KEYS = Keys("main")


async def seen(store: MemoryMetastore) -> Secrets:
    """What a broker that reads it now knows."""
    item = await store.get(KEYS.secret)
    assert item is not None
    secrets = Secrets(b"")
    secrets.take(item.value)
    return secrets


async def test_neighbouring_steps_have_what_is_proved_by_in_common() -> None:
    store, dice = MemoryMetastore(SystemClock()), SeededDice()
    steps = [await ensure_secret(store, KEYS, dice)]

    async def note() -> None:
        steps.append(await seen(store))

    assert await exchange_secret(store, KEYS, dice, note)
    await note()
    assert len(steps) == 4 and steps[0].current != steps[-1].current
    assert steps[-1].believed == (steps[-1].current,)
    for earlier, later in pairwise(steps):
        assert later.current in earlier.believed and earlier.current in later.believed


@pytest.mark.parametrize("after", [1, 2])
async def test_an_exchange_that_ended_early_goes_on(after: int) -> None:
    store, dice = MemoryMetastore(SystemClock()), SeededDice()
    before = await ensure_secret(store, KEYS, dice)
    done = 0

    class Ended(Exception):
        pass

    async def pause() -> None:
        nonlocal done
        done += 1
        if done == after:
            raise Ended

    with pytest.raises(Ended):
        await exchange_secret(store, KEYS, dice, pause)
    wanted = [secret for secret in (await seen(store)).believed if secret != before.current]
    assert await exchange_secret(store, KEYS, dice, pause)
    assert list((await seen(store)).believed) == wanted


async def test_without_a_cluster_there_is_nothing_to_exchange() -> None:
    async def never() -> None:
        raise AssertionError

    assert not await exchange_secret(MemoryMetastore(SystemClock()), KEYS, SeededDice(), never)
