"""The cluster, and its brokers."""

from litestar import Controller, get

from penstock.client import AsyncClient, ClusterInfo, Node
from penstock.web.problems import Problem
from penstock.web.v3.shapes import Answer, AnyRequest, Shapes, cluster_info


class Clusters(Controller):
    path = "/clusters"

    @get()
    async def list_clusters(self, request: AnyRequest, client: AsyncClient) -> Answer:
        """The one cluster that this server stands in front of."""
        return Shapes(request).many("Cluster", [cluster_of(Shapes(request), await client.describe_cluster())])

    @get("/{cluster_id:str}")
    async def get_cluster(self, request: AnyRequest, client: AsyncClient, cluster_id: str) -> Answer:
        return cluster_of(Shapes(request), await cluster_info(client, cluster_id))

    @get("/{cluster_id:str}/brokers")
    async def list_brokers(self, request: AnyRequest, client: AsyncClient, cluster_id: str) -> Answer:
        info = await cluster_info(client, cluster_id)
        return Shapes(request).many(
            "Broker", [broker_of(Shapes(request), info, each) for each in info.brokers.values()]
        )

    @get("/{cluster_id:str}/brokers/{broker_id:int}")
    async def get_broker(self, request: AnyRequest, client: AsyncClient, cluster_id: str, broker_id: int) -> Answer:
        info = await cluster_info(client, cluster_id)
        if broker_id not in info.brokers:
            raise Problem(404, "unknown-broker", f"There is no broker {broker_id}")
        return broker_of(Shapes(request), info, info.brokers[broker_id])


def cluster_of(shapes: Shapes, info: ClusterInfo) -> Answer:
    here = ("clusters", info.cluster_id)
    return shapes.one(
        "Cluster", here, cluster_id=info.cluster_id,
        controller=shapes.link(*here, "brokers", info.controller_id),
        acls=shapes.link(*here, "acls"),
        brokers=shapes.link(*here, "brokers"),
        broker_configs=shapes.link(*here, "broker-configs"),
        consumer_groups=shapes.link(*here, "consumer-groups"),
        topics=shapes.link(*here, "topics"),
    )  # fmt: skip


def broker_of(shapes: Shapes, info: ClusterInfo, broker: Node) -> Answer:
    here = ("clusters", info.cluster_id, "brokers", broker.id)
    return shapes.one(
        "Broker", here, cluster_id=info.cluster_id, broker_id=broker.id, host=broker.host, port=broker.port,
        rack=broker.rack, configs=shapes.link(*here, "configs"),
    )  # fmt: skip
