"""CreateTopics: by count or by assignment, for real or to see whether it could be done.

v4 counts of -1 mean the broker's defaults, v5 returns the settings a topic has, v6 the quota error, v7 its id.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.rights import (
    CREATE_CLUSTER,
    CREATE_TOPIC,
    DESCRIBE_TOPIC_CONFIGS,
    READ_TOPIC,
    WRITE_TOPIC,
    ResourceKind,
)
from penstock.broker.cooperative import cooperatively, split
from penstock.broker.registry import RequestContext, answers
from penstock.broker.topic_quotas import TopicQuotas
from penstock.broker.topic_rights import require_to_make
from penstock.cluster import AUDIT, CLUSTER_METADATA, SHARE_GROUP_STATE, Controller, CreatedTopic, CreateTopic
from penstock.errors import InvalidRequest, Refusal, TopicAuthorizationFailed
from penstock.settings.config import Config
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from penstock.wire.messages.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)

AT_ONCE: Final = 4
"""Topics whose settings are told between two turns of the loop, a third of a millisecond each."""


@answers(
    ApiKey.CREATE_TOPICS,
    versions=(2, 7),
    requires=(CREATE_CLUSTER, CREATE_TOPIC, DESCRIBE_TOPIC_CONFIGS, READ_TOPIC, WRITE_TOPIC),
    audits=(ResourceKind.TOPIC,),
)
async def create_topics(
    request: CreateTopicsRequest,
    context: RequestContext,
    controller: Controller,
    config: Config,
    authorizer: Authorizer,
    quotas: ClientQuotas,
) -> CreateTopicsResponse:
    subject = context.caller.subject
    times = Counter(topic.name for topic in request.topics)
    twice = InvalidRequest("the topic is named more than once in the request")
    refused: dict[str, Refusal] = {name: twice for name, count in times.items() if count > 1}
    for internal in (CLUSTER_METADATA, AUDIT, SHARE_GROUP_STATE):
        if times[internal] == 1:
            refused[internal] = InvalidRequest(f"Creation of internal topic {internal} is prohibited.")
    if not authorizer.has(subject, CREATE_CLUSTER):
        names = [name for name in times if name not in refused]
        _, forbidden = await split(authorizer, subject, CREATE_TOPIC, names)
        refused |= dict.fromkeys(forbidden, TopicAuthorizationFailed("Authorization failed."))
    wanted = [_command(topic) for topic in request.topics if topic.name not in refused]
    for command in wanted:
        try:
            require_to_make(authorizer, subject, command, config)
        except TopicAuthorizationFailed as refusal:
            refused[command.name] = refusal
    held = TopicQuotas(quotas, context, strict_from=6)
    changes = {command.name: controller.partitions_of(command) for command in wanted if command.name not in refused}
    refused |= held.refused(changes, grows=True, counts=not request.validate_only)
    wanted = [command for command in wanted if command.name not in refused]
    outcomes = await controller.create_topics(
        wanted, timeout_ms=request.timeout_ms, validate_only=request.validate_only
    )
    results, explained = [], _Explained(config)
    async for command, outcome in cooperatively(zip(wanted, outcomes, strict=True), at_once=AT_ONCE):
        result = _result(command.name, outcome, explained)
        if result.error_code and not request.validate_only:
            held.not_done(changes[command.name])
        if not result.error_code and not authorizer.shows(subject, DESCRIBE_TOPIC_CONFIGS, command.name):
            result = _without_settings(result)
        results.append(result)
    results += [_refusal(name, refusal) for name, refusal in refused.items()]
    return CreateTopicsResponse(topics=results, throttle_time_ms=held.held_ms())


def _command(topic: CreatableTopic) -> CreateTopic:
    return CreateTopic(
        name=topic.name,
        partitions=topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignments=tuple((one.partition_index, tuple(one.broker_ids)) for one in topic.assignments),
        settings=tuple((setting.name, setting.value) for setting in topic.configs),
    )


def _result(name: str, outcome: CreatedTopic | Refusal, explained: "_Explained") -> CreatableTopicResult:
    if isinstance(outcome, Refusal):
        return _refusal(name, outcome)
    return CreatableTopicResult(
        name=name,
        topic_id=outcome.topic_id,
        error_message=None,
        num_partitions=outcome.partitions,
        replication_factor=outcome.replication_factor,
        configs=explained.configs(outcome.settings),
    )


def _without_settings(result: CreatableTopicResult) -> CreatableTopicResult:
    """For who may create topics but not look at their settings, of which the count is one."""
    return CreatableTopicResult(
        name=result.name,
        topic_id=result.topic_id,
        error_message=None,
        topic_config_error_code=TopicAuthorizationFailed.code,
    )


class _Explained:
    """The settings of one request's topics. Where many are created at once they are mostly alike, and share a list."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._known: dict[tuple[tuple[str, str], ...], list[CreatableTopicConfigs]] = {}

    def configs(self, overrides: Mapping[str, str]) -> list[CreatableTopicConfigs]:
        key = tuple(overrides.items())
        if key not in self._known:
            settings = self._config.for_topic(overrides)
            explained = (settings.explain(row) for row in settings.settings())
            self._known[key] = [
                CreatableTopicConfigs(
                    name=one.setting.name,
                    value=one.value,
                    read_only=one.read_only,
                    config_source=one.source,
                    is_sensitive=one.sensitive,
                )
                for one in sorted(explained, key=lambda one: one.setting.name)
            ]
        return self._known[key]


def _refusal(name: str, refusal: Refusal) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=refusal.code, error_message=refusal.message)
