"""DescribeConfigs: the settings of topics, brokers, loggers, groups and client-metrics subscriptions.

v1 sources and synonyms, v3 types and documentation. Asked for some names, it answers those of them that there are.
"""

from collections.abc import Callable
from operator import attrgetter

from penstock.broker.loggers import LoggerLevels
from penstock.broker.registry import answers
from penstock.cluster import ClusterImage, Controller, Resource, ResourceType, explain_settings, require_this_broker
from penstock.errors import InvalidRequest, Refusal
from penstock.model import BrokerId
from penstock.settings.config import Config, Explanation
from penstock.settings.setting import Source
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from penstock.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


@answers(ApiKey.DESCRIBE_CONFIGS, versions=(1, 4))
def describe_configs(
    request: DescribeConfigsRequest,
    image: ClusterImage,
    controller: Controller,
    config: Config,
    loggers: LoggerLevels,
) -> DescribeConfigsResponse:
    # A type that nobody knows spoils the whole request in Kafka, since it cannot tell whether the client may ask.
    if any(ResourceType(resource.resource_type) is ResourceType.UNKNOWN for resource in request.resources):
        unknown = InvalidRequest()
        return DescribeConfigsResponse(results=[_refused(resource, unknown) for resource in request.resources])
    broker_id = controller.broker_id

    def entries(resource: Resource) -> list[DescribeConfigsResourceResult]:
        if resource.type is ResourceType.BROKER_LOGGER:
            return _loggers(resource.name, broker_id, loggers)
        return [_entry(one, request) for one in explain_settings(resource, image, config, broker_id=broker_id)]

    return DescribeConfigsResponse(results=[_describe(resource, entries) for resource in request.resources])


def _describe(
    asked: DescribeConfigsResource, entries_of: Callable[[Resource], list[DescribeConfigsResourceResult]]
) -> DescribeConfigsResult:
    try:
        entries = entries_of(Resource(ResourceType(asked.resource_type), asked.resource_name))
    except Refusal as refusal:
        return _refused(asked, refusal)
    wanted = set(asked.configuration_keys or ())
    return DescribeConfigsResult(
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
        # Clients have come to compare lists, though Kafka's order is only that of a hash table: by name is near it.
        configs=sorted((e for e in entries if not wanted or e.name in wanted), key=attrgetter("name")),
    )


def _refused(asked: DescribeConfigsResource, refusal: Refusal) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        error_code=refusal.code,
        error_message=refusal.message,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
    )


def _entry(explained: Explanation, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=explained.setting.name,
        value=explained.value,
        read_only=explained.read_only,
        config_source=explained.source,
        is_sensitive=explained.sensitive,
        synonyms=[
            DescribeConfigsSynonym(name=step.name, value=step.value, source=step.source)
            for step in (explained.synonyms if request.include_synonyms else ())
        ],
        config_type=explained.setting.kind,
        documentation=explained.setting.doc if request.include_documentation else None,
    )


def _loggers(name: str, broker_id: BrokerId, loggers: LoggerLevels) -> list[DescribeConfigsResourceResult]:
    if not name:
        raise InvalidRequest("name a broker: each has its own loggers")
    require_this_broker(name, broker_id)
    return [
        DescribeConfigsResourceResult(
            name=logger, value=loggers.level(logger), config_source=Source.DYNAMIC_BROKER_LOGGER
        )
        for logger in loggers.names()
    ]
