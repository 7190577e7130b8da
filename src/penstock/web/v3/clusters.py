"""The cluster, and its brokers."""

from typing import Any

from litestar import Controller, get

from penstock.client import ClusterInfo, Node
from penstock.web.problems import Problem
from penstock.web.v3.here import Answer, Here


class ClusterRoutes(Controller):
    @get()
    async def list_clusters(self, here: Here) -> Answer:
        """The one cluster that this server stands in front of."""
        return here.many("Cluster", [_cluster(here, await here.client.describe_cluster())])

    @get("/{cluster_id:str}")
    async def get_cluster(self, here: Here, cluster_id: str) -> Answer:
        return _cluster(here, await here.client.describe_cluster())

    @get("/{cluster_id:str}/brokers")
    async def list_brokers(self, here: Here, cluster_id: str) -> Answer:
        info = await here.client.describe_cluster()
        return here.many("Broker", [_broker(here, each) for each in info.brokers.values()])

    @get("/{cluster_id:str}/brokers/{broker_id:int}")
    async def get_broker(self, here: Here, cluster_id: str, broker_id: int) -> Answer:
        info = await here.client.describe_cluster()
        if broker_id not in info.brokers:
            raise Problem(404, "unknown-broker", f"There is no broker {broker_id}")
        return _broker(here, info.brokers[broker_id])


def _cluster(here: Here, info: ClusterInfo) -> Answer:
    links: dict[str, Any] = {
        name: here.link(name.replace("_", "-"))
        for name in ("acls", "brokers", "broker_configs", "consumer_groups", "topics")
    }
    return here.one("Cluster", (), controller=here.link("brokers", info.controller_id), **links)


def _broker(here: Here, broker: Node) -> Answer:
    path = ("brokers", broker.id)
    return here.one(
        "Broker", path, broker_id=broker.id, host=broker.host, port=broker.port, rack=broker.rack,
        configs=here.link(*path, "configs"),
    )  # fmt: skip
