"""AlterConfigs: replace all settings of a resource. Deprecated since Kafka 2.3, still sent by older clients."""

from collections import Counter

from penstock.access.authorizer import Authorizer
from penstock.access.rights import (
    ALTER_CLUSTER_CONFIGS,
    ALTER_GROUP_CONFIGS,
    ALTER_TOPIC_CONFIGS,
    READ_TOPIC,
    WRITE_TOPIC,
    ResourceKind,
)
from penstock.broker.config_rights import require_to_alter, require_to_alter_view, require_to_name_topics
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, Controller, ReplaceSettings, Resource, ResourceType, require_alterable
from penstock.errors import InvalidRequest, Refusal
from penstock.model import BrokerId
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_configs_request import AlterConfigsRequest, AlterConfigsResource
from penstock.wire.messages.alter_configs_response import AlterConfigsResourceResponse, AlterConfigsResponse


@answers(
    ApiKey.ALTER_CONFIGS,
    versions=(0, 2),
    requires=(ALTER_TOPIC_CONFIGS, ALTER_CLUSTER_CONFIGS, ALTER_GROUP_CONFIGS, READ_TOPIC, WRITE_TOPIC),
    audits=(ResourceKind.TOPIC, ResourceKind.CLUSTER, ResourceKind.GROUP),
)
async def alter_configs(
    request: AlterConfigsRequest,
    context: RequestContext,
    controller: Controller,
    authorizer: Authorizer,
    image: ClusterImage,
) -> AlterConfigsResponse:
    broker_id = controller.broker_id
    times = Counter((resource.resource_type, resource.resource_name) for resource in request.resources)
    outcomes: dict[int, Refusal | None] = {}
    commands: dict[int, ReplaceSettings] = {}
    for index, resource in enumerate(request.resources):
        try:
            if times[resource.resource_type, resource.resource_name] > 1:
                raise InvalidRequest("the resource comes more than once in the request: put its settings together")
            require_to_alter(authorizer, context.caller.subject, resource.resource_type, resource.resource_name)
            command = _command(resource, broker_id)
            require_to_alter_view(authorizer, context.caller.subject, image, command.resource)
            require_to_name_topics(authorizer, context.caller.subject, command.resource, command.settings)
            commands[index] = command
        except Refusal as refusal:
            outcomes[index] = refusal
    written = await controller.alter_settings(list(commands.values()), validate_only=request.validate_only)
    outcomes.update(zip(commands, written, strict=True))
    return AlterConfigsResponse(
        responses=[_response(resource, outcomes[index]) for index, resource in enumerate(request.resources)]
    )


def _command(asked: AlterConfigsResource, broker_id: BrokerId) -> ReplaceSettings:
    resource = Resource(ResourceType(asked.resource_type), asked.resource_name)
    require_alterable(resource, asked.resource_type, broker_id=broker_id)
    return ReplaceSettings(resource, tuple((setting.name, setting.value) for setting in asked.configs))


def _response(resource: AlterConfigsResource, outcome: Refusal | None) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=0 if outcome is None else outcome.code,
        error_message=None if outcome is None else outcome.message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
