"""CreateTopics: by count or by assignment, for real or to see whether it could be done.

v4 counts of -1 mean the broker's defaults, v5 returns the settings a topic has, v6 the quota error, v7 its id.
"""

from collections import Counter

from penstock.broker.registry import answers
from penstock.cluster import CLUSTER_METADATA, Controller, CreatedTopic, CreateTopic
from penstock.errors import InvalidRequest, Refusal
from penstock.settings.config import Config
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from penstock.wire.messages.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)


@answers(ApiKey.CREATE_TOPICS, versions=(2, 7))
async def create_topics(request: CreateTopicsRequest, controller: Controller, config: Config) -> CreateTopicsResponse:
    times = Counter(topic.name for topic in request.topics)
    twice = InvalidRequest("the topic is named more than once in the request")
    refused = {name: twice for name, count in times.items() if count > 1}
    if times[CLUSTER_METADATA] == 1:
        refused[CLUSTER_METADATA] = InvalidRequest(f"{CLUSTER_METADATA} is the cluster's own: choose another name")
    wanted = [topic for topic in request.topics if topic.name not in refused]
    outcomes = await controller.create_topics(
        [_command(topic) for topic in wanted], timeout_ms=request.timeout_ms, validate_only=request.validate_only
    )
    results = [_result(topic.name, outcome, config) for topic, outcome in zip(wanted, outcomes, strict=True)]
    results += [_refusal(name, refusal) for name, refusal in refused.items()]
    return CreateTopicsResponse(topics=results)


def _command(topic: CreatableTopic) -> CreateTopic:
    return CreateTopic(
        name=topic.name,
        partitions=topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignments=tuple((one.partition_index, tuple(one.broker_ids)) for one in topic.assignments),
        settings=tuple((setting.name, setting.value) for setting in topic.configs),
    )


def _result(name: str, outcome: CreatedTopic | Refusal, config: Config) -> CreatableTopicResult:
    if isinstance(outcome, Refusal):
        return _refusal(name, outcome)
    settings = config.for_topic(outcome.settings)
    explained = sorted((settings.explain(row) for row in settings.settings()), key=lambda one: one.setting.name)
    return CreatableTopicResult(
        name=name,
        topic_id=outcome.topic_id,
        error_message=None,
        num_partitions=outcome.partitions,
        replication_factor=outcome.replication_factor,
        configs=[
            CreatableTopicConfigs(
                name=one.setting.name,
                value=one.value,
                read_only=one.read_only,
                config_source=one.source,
                is_sensitive=one.sensitive,
            )
            for one in explained
        ],
    )


def _refusal(name: str, refusal: Refusal) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=refusal.code, error_message=refusal.message)
