"""The secret of a cluster is exchanged in steps, between which any two brokers have one in common."""

import base64
from itertools import pairwise

import pytest
from tests.support.clusters import SeededDice

from penstock.access.sealing import SealingKeys
from penstock.broker.clock import SystemClock
from penstock.cluster import Keys, Sealing, Secrets, exchange_secret
from penstock.cluster.membership.secret import SecretSealed, ensure_secret
from penstock.metastore import MemoryMetastore

KEYS = Keys("main")


SEALING, ANOTHER = SealingKeys(b"k" * 32), SealingKeys(b"l" * 32)


async def seen(store: MemoryMetastore, sealing: Sealing | None = None) -> Secrets:
    """What a broker that reads it now knows."""
    item = await store.get(KEYS.secret)
    assert item is not None
    secrets = Secrets(b"", sealing=sealing)
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


async def test_the_store_does_not_tell_a_secret_that_is_sealed() -> None:
    store = MemoryMetastore(SystemClock())
    made = await ensure_secret(store, KEYS, SeededDice(), SEALING)
    item = await store.get(KEYS.secret)
    assert item is not None and base64.b64encode(made.current) not in item.value
    assert made.is_sealed and (await seen(store, SEALING)).current == made.current


@pytest.mark.parametrize("sealing", [None, ANOTHER])
async def test_who_cannot_open_it_is_no_broker_and_changes_nothing(sealing: Sealing | None) -> None:
    store = MemoryMetastore(SystemClock())
    made = await ensure_secret(store, KEYS, SeededDice(), SEALING)
    item = await store.get(KEYS.secret)

    async def never() -> None:
        raise AssertionError

    with pytest.raises(SecretSealed, match=r"penstock\.secrets\.key\.file"):
        await ensure_secret(store, KEYS, SeededDice(), sealing)
    with pytest.raises(SecretSealed, match=r"penstock\.secrets\.key\.file"):
        await exchange_secret(store, KEYS, SeededDice(), never, sealing)
    assert item is not None and await store.get(KEYS.secret) == item
    known = Secrets(made.current, sealing=sealing)
    with pytest.raises(SecretSealed):
        known.take(item.value)
    assert known.believed == (made.current,)


async def test_an_exchange_seals_what_was_not_and_no_step_parts_brokers() -> None:
    store, dice = MemoryMetastore(SystemClock()), SeededDice()
    steps = [await ensure_secret(store, KEYS, dice)]
    assert not steps[0].is_sealed

    async def note() -> None:
        steps.append(await seen(store, SEALING))

    assert await exchange_secret(store, KEYS, dice, note, SEALING)
    await note()
    assert len(steps) == 4 and all(step.is_sealed for step in steps[1:]) and steps[0].current != steps[-1].current
    for earlier, later in pairwise(steps):
        assert later.current in earlier.believed and earlier.current in later.believed
