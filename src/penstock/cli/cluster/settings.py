"""Settings that a broker tells of itself; Apache Kafka has none of ours."""

from penstock.cli.asking import Brokers, require_ok
from penstock.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from penstock.wire.messages.describe_configs_response import DescribeConfigsResponse

BROKER = 4
ETCD_ENDPOINTS, CLUSTER_NAME = "penstock.etcd.endpoints", "penstock.cluster.name"


def broker_settings(brokers: Brokers, broker_id: int, *names: str) -> dict[str, str]:
    """Those of these that it has and shows."""
    request = DescribeConfigsRequest(resources=[DescribeConfigsResource(BROKER, str(broker_id), list(names))])
    (result,) = brokers.at(broker_id).ask(request, DescribeConfigsResponse).results
    require_ok(result.error_code, result.error_message, doing=f"ask broker {broker_id} for its settings")
    return {each.name: each.value for each in result.configs if each.name in names and each.value is not None}
