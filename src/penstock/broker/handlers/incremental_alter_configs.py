"""IncrementalAlterConfigs: set, delete, append to or subtract from single settings; each resource wholly or not at all.

Loggers' levels are this broker's alone and are not kept: they act at once and last until it stops.
"""

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
from penstock.broker.loggers import LoggerLevels
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import (
    AlterSettings,
    ClusterImage,
    Controller,
    Operation,
    Resource,
    ResourceType,
    SettingChange,
    no_such_operation,
    require_alterable,
    require_this_broker,
    require_well_formed,
)
from penstock.errors import InvalidRequest, Refusal
from penstock.model import BrokerId
from penstock.wire.api import ApiKey
from penstock.wire.messages.incremental_alter_configs_request import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from penstock.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)


@answers(
    ApiKey.INCREMENTAL_ALTER_CONFIGS,
    versions=(0, 1),
    requires=(ALTER_TOPIC_CONFIGS, ALTER_CLUSTER_CONFIGS, ALTER_GROUP_CONFIGS, READ_TOPIC, WRITE_TOPIC),
    audits=(ResourceKind.TOPIC, ResourceKind.CLUSTER, ResourceKind.GROUP),
)
async def incremental_alter_configs(
    request: IncrementalAlterConfigsRequest,
    context: RequestContext,
    controller: Controller,
    loggers: LoggerLevels,
    authorizer: Authorizer,
    image: ClusterImage,
) -> IncrementalAlterConfigsResponse:
    broker_id = controller.broker_id
    times = Counter((resource.resource_type, resource.resource_name) for resource in request.resources)
    outcomes: dict[int, Refusal | None] = {}
    commands: dict[int, AlterSettings] = {}
    for index, resource in enumerate(request.resources):
        try:
            if times[resource.resource_type, resource.resource_name] > 1:
                raise InvalidRequest("the resource comes more than once in the request: put its settings together")
            require_to_alter(authorizer, context.caller.subject, resource.resource_type, resource.resource_name)
            command = _command(resource)
            require_to_alter_view(authorizer, context.caller.subject, image, command.resource)
            require_to_name_topics(
                authorizer,
                context.caller.subject,
                command.resource,
                [(change.name, change.value) for change in command.changes],
            )
            if command.resource.type is ResourceType.BROKER_LOGGER:
                _alter_loggers(command, broker_id, loggers, validate_only=request.validate_only)
                outcomes[index] = None
            else:
                require_alterable(command.resource, resource.resource_type, broker_id=broker_id)
                commands[index] = command
        except Refusal as refusal:
            outcomes[index] = refusal
    written = await controller.alter_settings(list(commands.values()), validate_only=request.validate_only)
    outcomes.update(zip(commands, written, strict=True))
    return IncrementalAlterConfigsResponse(
        responses=[_response(resource, outcomes[index]) for index, resource in enumerate(request.resources)]
    )


def _command(resource: AlterConfigsResource) -> AlterSettings:
    changes = tuple(SettingChange(one.name, one.config_operation, one.value) for one in resource.configs)
    require_well_formed(changes)
    return AlterSettings(Resource(ResourceType(resource.resource_type), resource.resource_name), changes)


def _alter_loggers(command: AlterSettings, broker_id: BrokerId, loggers: LoggerLevels, *, validate_only: bool) -> None:
    require_this_broker(command.resource.name, broker_id)
    levels = [(change.name, _level(change)) for change in command.changes]
    for name, level in levels:
        loggers.check(name, level)
    if not validate_only:
        for name, level in levels:
            loggers.set(name, level)


def _level(change: SettingChange) -> str | None:
    match change.operation:
        case Operation.SET:
            return change.value
        case Operation.DELETE:
            return None
        case Operation.APPEND | Operation.SUBTRACT:
            name = Operation(change.operation).name
            raise InvalidRequest(f"{name} is for lists: use SET or DELETE for the level of a logger")
        case unknown:
            raise no_such_operation(unknown)


def _response(resource: AlterConfigsResource, outcome: Refusal | None) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=0 if outcome is None else outcome.code,
        error_message=None if outcome is None else outcome.message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
