"""CreatePartitions: more partitions for topics that exist; there are never fewer."""

from collections import Counter

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_TOPIC, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import Controller, GrowTopic
from penstock.errors import InvalidRequest, Refusal, TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from penstock.wire.messages.create_partitions_response import CreatePartitionsResponse, CreatePartitionsTopicResult


@answers(ApiKey.CREATE_PARTITIONS, versions=(0, 3), requires=(ALTER_TOPIC,), audits=(ResourceKind.TOPIC,))
async def create_partitions(
    request: CreatePartitionsRequest, context: RequestContext, controller: Controller, authorizer: Authorizer
) -> CreatePartitionsResponse:
    times = Counter(topic.name for topic in request.topics)
    once = [topic.name for topic in request.topics if times[topic.name] == 1]
    allowed, forbidden = authorizer.split(context.caller.subject, ALTER_TOPIC, once)
    wanted = [topic for topic in request.topics if topic.name in set(allowed)]
    outcomes = await controller.create_partitions(
        [_command(topic) for topic in wanted], timeout_ms=request.timeout_ms, validate_only=request.validate_only
    )
    twice = InvalidRequest("the topic is named more than once in the request")
    results = [_result(name, twice) for name, count in times.items() if count > 1]
    results += [_result(name, TopicAuthorizationFailed()) for name in forbidden]
    results += [_result(topic.name, outcome) for topic, outcome in zip(wanted, outcomes, strict=True)]
    return CreatePartitionsResponse(results=results)


def _command(topic: CreatePartitionsTopic) -> GrowTopic:
    by_hand = None if topic.assignments is None else tuple(tuple(one.broker_ids) for one in topic.assignments)
    return GrowTopic(topic.name, topic.count, by_hand)


def _result(name: str, outcome: int | Refusal) -> CreatePartitionsTopicResult:
    if isinstance(outcome, Refusal):
        return CreatePartitionsTopicResult(name=name, error_code=outcome.code, error_message=outcome.message)
    return CreatePartitionsTopicResult(name=name)
