"""DescribeCluster: the brokers and who decides. v1 says which kind of endpoint is meant, v2 includes fenced brokers.

A fenced broker is one that belongs to the cluster and is not registered now: lost, or stopped.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import (
    NOT_ASKED_FOR,
    ClusterImage,
    controller_for_clients,
    fenced_nodes,
    nodes,
)
from penstock.errors import InvalidRequest, MismatchedEndpointType, UnsupportedEndpointType
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse

BROKERS = 1
CONTROLLERS = 2


@answers(ApiKey.DESCRIBE_CLUSTER, versions=(0, 2), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
def describe_cluster(
    request: DescribeClusterRequest, context: RequestContext, image: ClusterImage, authorizer: Authorizer
) -> DescribeClusterResponse:
    _check_endpoint_type(request.endpoint_type, context.api_version)
    listed = [(node, False) for node in nodes(image, context.listener)]
    if request.include_fenced_brokers:
        listed += ((node, True) for node in fenced_nodes(image, context.listener))
    return DescribeClusterResponse(
        endpoint_type=BROKERS,
        cluster_id=image.cluster_id,
        controller_id=controller_for_clients(image, context.listener),
        brokers=[
            DescribeClusterBroker(node.id, node.host, node.port, node.rack, is_fenced)
            for node, is_fenced in sorted(listed)
        ],
        cluster_authorized_operations=(
            cluster_operations(authorizer, context) if request.include_cluster_authorized_operations else NOT_ASKED_FOR
        ),
    )


def cluster_operations(authorizer: Authorizer, context: RequestContext) -> int:
    """What the client may do with the cluster; nothing is said to whoever may not even look."""
    subject = context.caller.subject
    if not authorizer.shows(subject, DESCRIBE_CLUSTER):
        return 0
    return authorizer.operations(subject, ResourceKind.CLUSTER)


def _check_endpoint_type(endpoint_type: int, version: int) -> None:
    if endpoint_type == BROKERS:
        return
    if endpoint_type == CONTROLLERS:
        raise (InvalidRequest if version == 0 else MismatchedEndpointType)(
            f"endpoint type {CONTROLLERS} asks for controllers, and there are only brokers ({BROKERS}) here"
        )
    raise (InvalidRequest if version == 0 else UnsupportedEndpointType)(
        f"endpoint type {endpoint_type} does not exist: brokers are {BROKERS}"
    )
