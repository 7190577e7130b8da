"""What clients are told of brokers that may be gone, or have just gone. In virtual time."""

import asyncio

from tests.support.brokers import Brokers, some_brokers
from tests.support.quotas import SomeQuotas
from tests.support.virtual_time import in_virtual_time

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.metadata import metadata
from penstock.broker.registry import RequestContext
from penstock.cluster.membership.availability import LISTED_S, SILENCE_VERDICT_S, VERDICT_S
from penstock.model import BrokerId
from penstock.settings.config import Config
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse

THREE = BrokerId(3)


async def ask(brokers: Brokers, *, at: int, topics: list[str] | None = None) -> MetadataResponse:
    cluster = brokers.clusters[at]
    wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
    request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
    context = RequestContext(api_version=13, client_id="test", listener="PLAINTEXT", peer="127.0.0.1:1")
    config = Config.for_broker({"node.id": str(at)})
    return await metadata(
        request,
        context,
        cluster.image,
        cluster.controller,
        cluster.availability,
        config,
        Authorizer(),
        SomeQuotas().quotas,
    )


def leaders(response: MetadataResponse) -> set[int]:
    return {partition.leader_id for topic in response.topics for partition in topic.partitions}


def now_s() -> float:
    return asyncio.get_running_loop().time()


@in_virtual_time
async def test_whoever_asks_when_a_leader_has_just_died_is_told_the_new_one() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.kill(3)
        brokers.clusters[2].suspect(THREE)
        named, everything = await asyncio.gather(ask(brokers, at=2, topics=["orders"]), ask(brokers, at=2))
        assert leaders(named) == leaders(everything) == {1, 2}


@in_virtual_time
async def test_admin_clients_are_sent_to_the_broker_they_ask_whoever_decides() -> None:
    """It has just answered them; the controller may have died, and an idle librdkafka would not look for another."""
    async with some_brokers(3) as brokers:
        assert [(await ask(brokers, at=at, topics=[])).controller_id for at in (1, 2, 3)] == [1, 2, 3]
        await brokers.kill(1)
        assert (await ask(brokers, at=2, topics=[])).controller_id == 2
        await brokers.clusters[2].leave(timeout_s=10)
        await brokers.until(lambda: brokers.controller == 3)
        assert (await ask(brokers, at=2, topics=[])).controller_id == 3, "not one that is about to stop"


@in_virtual_time
async def test_another_brokers_suspicion_counts_as_ones_own() -> None:
    async with some_brokers(4) as brokers:
        await brokers.create("orders", partitions=4)
        await brokers.kill(3)
        brokers.clusters[2].suspect(THREE)
        await brokers.until(lambda: bool(brokers.clusters[4].availability.suspects()))
        assert 3 not in leaders(await ask(brokers, at=4, topics=["orders"]))


@in_virtual_time
async def test_nobody_waits_for_a_verdict_on_a_broker_that_leads_nothing_they_asked_for() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        brokers.clusters[2].availability.suspect(THREE)
        began_s = now_s()
        await ask(brokers, at=2, topics=["payments"])
        assert now_s() == began_s


@in_virtual_time
async def test_the_answer_waits_half_a_second_at_most_and_only_once() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        availability, began_s = brokers.clusters[2].availability, now_s()
        availability.suspect(THREE)  # without telling anybody: there will be no verdict
        assert leaders(await ask(brokers, at=2, topics=["orders"])) == {1, 2, 3}
        assert now_s() - began_s == VERDICT_S
        availability.suspect(THREE)
        await ask(brokers, at=2, topics=["orders"])
        assert now_s() - began_s == VERDICT_S


@in_virtual_time
async def test_whoever_asks_when_a_leader_is_about_to_be_given_up_for_its_silence_is_told_the_new_one() -> None:
    """Its followers have noticed; the controller has one more heartbeat to count."""
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.hang(3)
        await brokers.pass_time(1.5)
        assert 3 in brokers.image(2).brokers
        brokers.clusters[2].availability.fell_silent(THREE)
        assert leaders(await ask(brokers, at=2, topics=["orders"])) == {1, 2}


@in_virtual_time
async def test_a_leader_that_is_merely_slow_holds_nobody_up_for_longer_than_two_seconds_and_only_once() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        availability, began_s = brokers.clusters[2].availability, now_s()
        for _ in range(2):
            availability.fell_silent(THREE)
            assert leaders(await ask(brokers, at=2, topics=["orders"])) == {1, 2, 3}
            assert now_s() - began_s == SILENCE_VERDICT_S
        availability.suspect(THREE)  # and then it dies
        assert availability.suspects() == {THREE}


@in_virtual_time
async def test_a_suspect_that_answers_holds_nobody_up() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        began_s = now_s()
        brokers.clusters[1].suspect(THREE)  # the controller, which asks it at once
        assert leaders(await ask(brokers, at=1, topics=["orders"])) == {1, 2, 3}
        assert now_s() - began_s < VERDICT_S / 10


def listed(answer: MetadataResponse) -> list[int]:
    return [broker.node_id for broker in answer.brokers]


@in_virtual_time
async def test_a_broker_that_fell_silent_leaves_the_list_at_once() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.hang(3)
        await brokers.until(lambda: 3 not in brokers.image(2).brokers)
        assert [listed(await ask(brokers, at=at)) for at in (1, 2)] == [[1, 2], [1, 2]]


@in_virtual_time
async def test_a_controller_that_fell_silent_leaves_the_list_when_its_lease_ends() -> None:
    async with some_brokers(3) as brokers:
        await brokers.hang(1)
        await brokers.until(lambda: 1 not in brokers.image(2).brokers)
        assert [listed(await ask(brokers, at=at)) for at in (2, 3)] == [[2, 3], [2, 3]]


@in_virtual_time
async def test_a_broker_that_was_stopped_leaves_the_list_at_once() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.clusters[3].leave(timeout_s=10)
        brokers.network.dead.add(3)  # its listener closes before its registration ends
        brokers.clusters[2].suspect(THREE)
        await brokers.until(lambda: 3 not in brokers.image(2).brokers)
        assert [listed(await ask(brokers, at=at)) for at in (1, 2)] == [[1, 2], [1, 2]]


@in_virtual_time
async def test_all_brokers_list_a_dead_one_whoever_found_out() -> None:
    """Here it is the controller, by itself: nobody else has a connection to the dead one, or hears of a suspicion."""
    async with some_brokers(4) as brokers:
        await brokers.kill(3)
        await brokers.until(lambda: all(3 not in brokers.image(at).brokers for at in (1, 2, 4)))
        assert [listed(await ask(brokers, at=at)) for at in (1, 2, 4)] == [[1, 2, 3, 4]] * 3


@in_virtual_time
async def test_a_broker_that_refuses_connections_stays_listed_for_ten_seconds_but_leads_nothing() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.kill(3)
        brokers.clusters[2].suspect(THREE)
        await brokers.until(lambda: 3 not in brokers.image(2).brokers)
        answer = await ask(brokers, at=2)
        assert [broker.node_id for broker in answer.brokers] == [1, 2, 3] and leaders(answer) == {1, 2}
        assert {tuple(part.offline_replicas) for topic in answer.topics for part in topic.partitions} == {(3,)}
        await asyncio.sleep(LISTED_S)
        assert [broker.node_id for broker in (await ask(brokers, at=2)).brokers] == [1, 2]


@in_virtual_time
async def test_one_that_comes_back_is_listed_where_it_is_now() -> None:
    async with some_brokers(3) as brokers:
        await brokers.kill(3)
        brokers.clusters[2].suspect(THREE)
        await brokers.until(lambda: 3 not in brokers.image(2).brokers)
        brokers.network.dead.clear()
        await brokers.start(3)
        await brokers.agree()
        assert brokers.clusters[2].availability.just_gone() == []
        assert [broker.node_id for broker in (await ask(brokers, at=2)).brokers] == [1, 2, 3]
