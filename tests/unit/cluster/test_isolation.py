"""When a broker that is cut off sends its clients away, and when it must not. In virtual time."""

import pytest
from tests.support.brokers import Brokers, some_brokers
from tests.support.virtual_time import in_virtual_time
from tests.unit.cluster.test_availability import ask, leaders

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.describe_cluster import describe_cluster
from penstock.broker.handlers.describe_topic_partitions import describe_topic_partitions
from penstock.broker.registry import RequestContext
from penstock.cluster import PeerView
from penstock.cluster.membership.isolation import is_known_to_be_replaced, is_out_of_reach
from penstock.settings.config import Config
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest

MEMBER, GONE, SILENT, REFUSED = PeerView.MEMBER, PeerView.GONE, PeerView.SILENT, PeerView.REFUSED


@pytest.mark.parametrize(
    ("opinions", "replaced", "out_of_reach"),
    [
        ([], False, False),  # it is alone
        ([MEMBER, MEMBER], False, False),  # the store is away for all
        ([MEMBER, GONE], True, False),
        ([MEMBER, SILENT], False, False),  # a majority, with the broker itself
        ([SILENT, SILENT], False, True),
        ([SILENT], False, True),  # half is no majority
        ([REFUSED], False, False),  # the other is dead, not out of reach
        ([REFUSED, REFUSED], False, False),
        ([REFUSED, SILENT], False, True),
        ([MEMBER, SILENT, SILENT], False, True),  # two of four: the others may have the store
        ([MEMBER, MEMBER, SILENT, SILENT], False, False),
    ],
)
def test_what_others_say_decides(opinions: list[PeerView], replaced: bool, out_of_reach: bool) -> None:
    assert (is_known_to_be_replaced(opinions), is_out_of_reach(opinions)) == (replaced, out_of_reach)


def isolated(brokers: Brokers) -> list[int]:
    return [at for at, cluster in brokers.clusters.items() if cluster.member and cluster.member.isolation.is_isolated]


def cut_off(brokers: Brokers, broker: int) -> None:
    brokers.network.cut |= {pair for other in brokers.clusters for pair in ((broker, other), (other, broker))}


@in_virtual_time
async def test_a_leader_that_loses_the_store_alone_names_itself_no_more() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        brokers.lines[3].is_cut = True
        await brokers.until(lambda: isolated(brokers) == [3])
        assert brokers.led_by(3) == 0, "others lead"
        answer = await ask(brokers, at=3)
        assert leaders(answer) == {-1, 1, 2} and [broker.node_id for broker in answer.brokers] == [1, 2]
        assert answer.controller_id != 3
        image = brokers.image(3)
        context = RequestContext(api_version=0, client_id="test", listener="PLAINTEXT", peer="127.0.0.1:1")
        (topic,) = (
            await describe_topic_partitions(
                DescribeTopicPartitionsRequest(), context, image, Config.for_broker({}), Authorizer()
            )
        ).topics
        assert sorted(part.leader_id for part in topic.partitions) == [-1, 1, 2]
        described = describe_cluster(DescribeClusterRequest(), context, image, Authorizer())
        assert [broker.broker_id for broker in described.brokers] == [1, 2]


@in_virtual_time
async def test_a_leader_that_reaches_nobody_names_itself_no_more() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        brokers.lines[3].is_cut = True
        cut_off(brokers, 3)
        await brokers.until(lambda: isolated(brokers) == [3])
        assert leaders(await ask(brokers, at=3)) == {-1, 1, 2}


@in_virtual_time
async def test_one_of_two_that_reaches_neither_the_store_nor_the_other_names_itself_no_more() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", partitions=2, replicas=2)
        brokers.lines[2].is_cut = True
        cut_off(brokers, 2)
        await brokers.until(lambda: isolated(brokers) == [2])


@in_virtual_time
async def test_where_the_store_is_away_for_all_nobody_is_sent_away() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        for line in brokers.lines.values():
            line.is_cut = True
        brokers.is_store_up = False
        await brokers.pass_time(30)
        assert isolated(brokers) == []
        for at in (1, 2, 3):
            assert leaders(await ask(brokers, at=at)) == {1, 2, 3}


@in_virtual_time
async def test_where_the_store_and_one_broker_are_away_the_others_keep_their_clients() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        for line in brokers.lines.values():
            line.is_cut = True
        brokers.is_store_up = False
        await brokers.hang(3)
        await brokers.pass_time(30)
        assert isolated(brokers) == []


@in_virtual_time
async def test_whoever_is_registered_again_names_itself_again() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        brokers.lines[3].is_cut = True
        await brokers.until(lambda: isolated(brokers) == [3])
        brokers.lines[3].is_cut = False
        await brokers.until(lambda: isolated(brokers) == [])
        answer = await ask(brokers, at=3)
        assert [broker.node_id for broker in answer.brokers] == [1, 2, 3]
        assert leaders(answer) == leaders(await ask(brokers, at=1)), "it has heard of all that happened"


@in_virtual_time
async def test_a_store_that_comes_back_to_others_first_costs_the_last_one_its_clients_then() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        for line in brokers.lines.values():
            line.is_cut = True
        brokers.is_store_up = False
        await brokers.pass_time(10)
        brokers.is_store_up = True
        brokers.lines[1].is_cut = brokers.lines[2].is_cut = False
        await brokers.until(lambda: isolated(brokers) == [3])
        await brokers.until(lambda: brokers.led_by(3) == 0)


@in_virtual_time
async def test_whoever_was_out_of_reach_while_the_store_is_away_keeps_its_clients_when_it_is_reached_again() -> None:
    """Nobody was elected meanwhile: with the store away nobody could be."""
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        for line in brokers.lines.values():
            line.is_cut = True
        brokers.is_store_up = False
        cut_off(brokers, 3)
        await brokers.until(lambda: isolated(brokers) == [3])
        brokers.network.cut.clear()
        await brokers.until(lambda: isolated(brokers) == [])
        assert leaders(await ask(brokers, at=3)) == {1, 2, 3}
