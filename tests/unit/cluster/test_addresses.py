"""Where clients are told to find brokers that are away."""

from tests.support.brokers import some_brokers
from tests.support.virtual_time import in_virtual_time

from penstock.cluster.addresses import fenced_nodes
from penstock.model import BrokerId


@in_virtual_time
async def test_brokers_that_are_away_are_listed_where_they_were_under_that_listener() -> None:
    async with some_brokers(2) as brokers:
        there = brokers.image(1).brokers[BrokerId(2)].endpoints
        await brokers.kill(2)
        await brokers.until(lambda: 2 not in brokers.image(1).brokers)
        image = brokers.image(1)
        assert [(node.id, node.port) for node in fenced_nodes(image, "PLAINTEXT")] == [(2, there["PLAINTEXT"].port)]
        assert fenced_nodes(image, "ELSEWHERE") == []
