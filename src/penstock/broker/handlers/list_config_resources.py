"""ListConfigResources: what has, or can have, settings. v0 lists client-metrics subscriptions only, v1 any types."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER_CONFIGS, NOTHING
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, Resource, ResourceType
from penstock.errors import UnsupportedVersion
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from penstock.wire.messages.list_config_resources_response import ConfigResource, ListConfigResourcesResponse

_ALL = tuple(type_ for type_ in ResourceType if type_ is not ResourceType.UNKNOWN)


@answers(ApiKey.LIST_CONFIG_RESOURCES, versions=(0, 1), requires=(DESCRIBE_CLUSTER_CONFIGS,), audits=NOTHING)
def list_config_resources(
    request: ListConfigResourcesRequest, context: RequestContext, image: ClusterImage, authorizer: Authorizer
) -> ListConfigResourcesResponse:
    authorizer.require(context.caller.subject, DESCRIBE_CLUSTER_CONFIGS)
    if context.api_version == 0:
        types: tuple[ResourceType, ...] = (ResourceType.CLIENT_METRICS,)
    else:
        types = tuple(dict.fromkeys(ResourceType(type_) for type_ in request.resource_types)) or _ALL
    if ResourceType.UNKNOWN in types:
        raise UnsupportedVersion
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(resource_name=resource.name, resource_type=resource.type)
            for type_ in types
            for resource in _of_type(type_, image)
        ]
    )


def _of_type(type_: ResourceType, image: ClusterImage) -> list[Resource]:
    match type_:
        case ResourceType.TOPIC:
            return [Resource(type_, name) for name in sorted(image.topics)]
        case ResourceType.BROKER | ResourceType.BROKER_LOGGER:
            return [Resource(type_, str(broker)) for broker in sorted(image.brokers)]
        case _:
            return sorted(resource for resource in image.settings if resource.type is type_)
