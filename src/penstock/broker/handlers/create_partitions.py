"""CreatePartitions: more partitions for topics that exist; there are never fewer."""

from collections import Counter

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.rights import ALTER_TOPIC, ResourceKind
from penstock.broker.cooperative import split
from penstock.broker.registry import RequestContext, answers
from penstock.broker.topic_quotas import TopicQuotas
from penstock.cluster import ClusterImage, Controller, GrowTopic
from penstock.errors import InvalidRequest, Refusal, TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from penstock.wire.messages.create_partitions_response import CreatePartitionsResponse, CreatePartitionsTopicResult


@answers(ApiKey.CREATE_PARTITIONS, versions=(0, 3), requires=(ALTER_TOPIC,), audits=(ResourceKind.TOPIC,))
async def create_partitions(
    request: CreatePartitionsRequest,
    context: RequestContext,
    controller: Controller,
    authorizer: Authorizer,
    image: ClusterImage,
    quotas: ClientQuotas,
) -> CreatePartitionsResponse:
    times = Counter(topic.name for topic in request.topics)
    once = [topic.name for topic in request.topics if times[topic.name] == 1]
    allowed, forbidden = await split(authorizer, context.caller.subject, ALTER_TOPIC, once)
    held = TopicQuotas(quotas, context, strict_from=3)
    there = {name: len(topic.partitions) if (topic := image.topics.get(name)) else 0 for name in allowed}
    changes = {each.name: max(each.count - there[each.name], 0) for each in request.topics if each.name in there}
    refused = held.refused(changes, grows=True, counts=not request.validate_only)
    wanted = [topic for topic in request.topics if topic.name in there and topic.name not in refused]
    outcomes = await controller.create_partitions(
        [_command(topic) for topic in wanted], timeout_ms=request.timeout_ms, validate_only=request.validate_only
    )
    twice = InvalidRequest("the topic is named more than once in the request")
    results = [_result(name, twice) for name, count in times.items() if count > 1]
    results += [_result(name, TopicAuthorizationFailed()) for name in forbidden]
    results += [_result(name, refusal) for name, refusal in refused.items()]
    if not request.validate_only:
        failed = (topic.name for topic, outcome in zip(wanted, outcomes, strict=True) if isinstance(outcome, Refusal))
        held.not_done(sum(changes[name] for name in failed))
    results += [_result(topic.name, outcome) for topic, outcome in zip(wanted, outcomes, strict=True)]
    return CreatePartitionsResponse(results=results, throttle_time_ms=held.held_ms())


def _command(topic: CreatePartitionsTopic) -> GrowTopic:
    by_hand = None if topic.assignments is None else tuple(tuple(one.broker_ids) for one in topic.assignments)
    return GrowTopic(topic.name, topic.count, by_hand)


def _result(name: str, outcome: int | Refusal) -> CreatePartitionsTopicResult:
    if isinstance(outcome, Refusal):
        return CreatePartitionsTopicResult(name=name, error_code=outcome.code, error_message=outcome.message)
    return CreatePartitionsTopicResult(name=name)
