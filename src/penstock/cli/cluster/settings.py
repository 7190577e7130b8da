"""Settings that a broker tells of itself; Apache Kafka has none of ours."""

from penstock.cli.client import Cluster
from penstock.client import Resource, ResourceType

ETCD_ENDPOINTS, CLUSTER_NAME = "penstock.etcd.endpoints", "penstock.cluster.name"


def broker_settings(cluster: Cluster, broker_id: int, *names: str) -> dict[str, str]:
    """Those of these that it has and shows."""
    resource = Resource(ResourceType.BROKER, str(broker_id))
    outcome = cluster.client().describe_configs([resource], names=names)[resource]
    found = cluster.value(outcome, doing=f"ask broker {broker_id} for its settings")
    return {name: each.value for name, each in found.items() if name in names and each.value is not None}
