"""DescribeConfigs: the settings of topics, brokers, loggers, groups and client-metrics subscriptions.

v1 sources and synonyms, v3 types and documentation. Asked for some names, it answers those of them that there are.

Tools ask for all topics at once, which mostly have the same settings: those are explained once, and share the list. An
answer that would be too long to be meant (`ENTRIES_MAX`) is none: the connection is closed.
"""

from operator import attrgetter
from typing import Final

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER_CONFIGS, DESCRIBE_GROUP_CONFIGS, DESCRIBE_TOPIC_CONFIGS, NOTHING
from penstock.broker.config_rights import require_to_describe
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.loggers import LoggerLevels
from penstock.broker.registry import RequestContext, answers
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

AT_ONCE: Final = 4
"""Resources explained between two turns of the loop, a third of a millisecond each."""

ENTRIES_MAX: Final = 2_000_000
"""Settings that one answer lists: those of 50,000 topics, in a few hundred MB."""


@answers(
    ApiKey.DESCRIBE_CONFIGS,
    versions=(1, 4),
    requires=(DESCRIBE_TOPIC_CONFIGS, DESCRIBE_CLUSTER_CONFIGS, DESCRIBE_GROUP_CONFIGS),
    audits=NOTHING,
)
async def describe_configs(
    request: DescribeConfigsRequest,
    context: RequestContext,
    image: ClusterImage,
    controller: Controller,
    config: Config,
    loggers: LoggerLevels,
    authorizer: Authorizer,
) -> DescribeConfigsResponse:
    # A type that nobody knows spoils the whole request in Kafka, since it cannot tell whether the client may ask.
    if any(ResourceType(resource.resource_type) is ResourceType.UNKNOWN for resource in request.resources):
        unknown = InvalidRequest()
        return DescribeConfigsResponse(results=[_refused(resource, unknown) for resource in request.resources])
    explaining = _Explaining(request, image, config, loggers, controller.broker_id)
    results, size = [], 0
    async for resource in cooperatively(request.resources, at_once=AT_ONCE):
        try:
            require_to_describe(authorizer, context.caller.subject, resource.resource_type, resource.resource_name)
            result = _describe(resource, explaining)
        except Refusal as refusal:
            result = _refused(resource, refusal)
        results.append(result)
        size += len(result.configs)
        if size > ENTRIES_MAX:
            raise InvalidRequest(f"more than {ENTRIES_MAX} settings are asked for at once")
    return await encoded_if_large(DescribeConfigsResponse(results=results), context.api_version, size=size)


def _describe(asked: DescribeConfigsResource, explaining: "_Explaining") -> DescribeConfigsResult:
    entries = explaining.entries(asked)
    return DescribeConfigsResult(resource_type=asked.resource_type, resource_name=asked.resource_name, configs=entries)


class _Explaining:
    """What one request asks for; resources that have the same settings of their own share their entries."""

    def __init__(
        self,
        request: DescribeConfigsRequest,
        image: ClusterImage,
        config: Config,
        loggers: LoggerLevels,
        broker_id: BrokerId,
    ) -> None:
        self._request = request
        self._image = image
        self._config = config
        self._loggers = loggers
        self._broker_id = broker_id
        self._known: dict[object, list[DescribeConfigsResourceResult]] = {}

    def entries(self, asked: DescribeConfigsResource) -> list[DescribeConfigsResourceResult]:
        resource = Resource(ResourceType(asked.resource_type), asked.resource_name)
        wanted = set(asked.configuration_keys or ())
        key = (resource.type, self._own(resource), frozenset(wanted))
        if key not in self._known:
            entries = [entry for entry in self._all(resource) if not wanted or entry.name in wanted]
            # Clients have come to compare lists, though Kafka's order is only that of a hash table: by name is near it.
            self._known[key] = sorted(entries, key=attrgetter("name"))
        return self._known[key]

    def _own(self, resource: Resource) -> object:
        """What tells its settings from those of others of its type: settings of its own, or else its name."""
        if resource.type is ResourceType.TOPIC and resource.name in self._image.topics:
            return tuple(self._image.topics[resource.name].overrides.items())
        if resource.type in (ResourceType.GROUP, ResourceType.CLIENT_METRICS) and resource.name:
            return tuple(self._image.settings.get(resource, {}).items())
        return resource.name

    def _all(self, resource: Resource) -> list[DescribeConfigsResourceResult]:
        if resource.type is ResourceType.BROKER_LOGGER:
            return _loggers(resource.name, self._broker_id, self._loggers)
        explained = explain_settings(resource, self._image, self._config, broker_id=self._broker_id)
        return [_entry(one, self._request) for one in explained]


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
