"""ShareFetch and ShareAcknowledge ask the rules and the quotas, with each look of a fetch that waits too."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.partitions import TOPIC
from tests.support.quotas import SomeQuotas
from tests.support.share_readers import GROUP, Make, ShareBench, acquired, parts_of, share_benches

from penstock.access.acls import Acl, PatternType, Permission, encode, entry_name
from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, READ_TOPIC, ResourceKind, Right
from penstock.errors import GroupAuthorizationFailed, ShareSessionNotFound, TopicAuthorizationFailed
from penstock.replication import Promise
from penstock.settings import Config

ACCEPT = [1]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with share_benches(tmp_path) as making:
        yield making


def rule(right: Right) -> Acl:
    name = GROUP if right.on is ResourceKind.GROUP else TOPIC
    return Acl(right.on, name, PatternType.LITERAL, "User:*", "*", right.operation, Permission.ALLOW)


def let(bench: ShareBench, *rights: Right) -> None:
    bench.authorizer = Authorizer(Config.for_broker({"authorizer.class.name": "penstock"}))
    for right in rights:
        bench.authorizer.learn(entry_name(rule(right)), encode(rule(right)))


def take_away(bench: ShareBench, right: Right) -> None:
    bench.authorizer.learn(entry_name(rule(right)), None)


async def test_who_may_not_read_the_group_has_no_session(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=1)
    let(bench, READ_TOPIC)
    assert (await bench.fetch("m")).error_code == GroupAuthorizationFailed.code
    assert (
        await bench.whole_acknowledge("m", {0: [(0, 0, ACCEPT)]}, epoch=1)
    ).error_code == GroupAuthorizationFailed.code
    let(bench, READ_GROUP, READ_TOPIC)
    assert (await bench.whole_acknowledge("m", {0: [(0, 0, ACCEPT)]}, epoch=1)).error_code == ShareSessionNotFound.code


async def test_who_may_not_read_the_topic_gets_nothing_of_it_and_settles_nothing(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=1)
    let(bench, READ_GROUP)
    response = await bench.fetch("m")
    assert parts_of(response)[0].error_code == TopicAuthorizationFailed.code and not acquired(response)
    assert await bench.acknowledge("m", {0: [(0, 0, ACCEPT)]}) == {0: TopicAuthorizationFailed.code}


@pytest.mark.parametrize(
    ("right", "refusal"), [(READ_GROUP, GroupAuthorizationFailed), (READ_TOPIC, TopicAuthorizationFailed)]
)
async def test_who_waits_gets_nothing_once_the_right_is_gone(
    make: Make, right: Right, refusal: type[TopicAuthorizationFailed]
) -> None:
    bench = make()
    let(bench, READ_GROUP, READ_TOPIC)
    await bench.open("m")
    waiting = bench.call("m", wait_ms=60_000)
    assert isinstance(waiting, Promise) and not waiting.done()
    take_away(bench, right)
    bench.partitions.fill(0, batches=1)
    response = bench.response(await asyncio.wait_for(waiting, 30))
    assert parts_of(response)[0].error_code == refusal.code
    assert not acquired(response) and not parts_of(response)[0].records


async def test_a_member_above_its_rate_is_told_for_how_long_and_gets_its_records_then(make: Make) -> None:
    bench = make()
    bench.quotas = SomeQuotas({"user=ANONYMOUS": {"consumer_byte_rate": 1}})
    bench.partitions.fill(0, batches=4)
    await bench.open("m", max_records=0)
    first = await bench.fetch("m", max_records=1, batch_size=1, strict=True)
    assert acquired(first) == [(0, 0, 1)]
    held = await bench.fetch("m")
    assert held.throttle_time_ms > 0 and acquired(held) == []
    bench.quotas.set("user=ANONYMOUS")
    assert acquired(await bench.fetch("m"))[0][:2] == (1, 3)
