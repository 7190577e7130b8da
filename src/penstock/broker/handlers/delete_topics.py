"""DeleteTopics: by name, or from v6 by id. v3 says that deletion is switched off, v5 says why something was refused."""

from collections import Counter

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.rights import DELETE_CLUSTER, DELETE_TOPIC, DESCRIBE_TOPIC, ResourceKind
from penstock.access.subject import Subject
from penstock.broker.registry import RequestContext, answers
from penstock.broker.topic_quotas import TopicQuotas
from penstock.cluster import AUDIT, ClusterImage, Controller
from penstock.errors import (
    InvalidRequest,
    Refusal,
    TopicAuthorizationFailed,
    TopicDeletionDisabled,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model import TopicId
from penstock.settings.broker import DELETE_TOPIC_ENABLE
from penstock.settings.config import Config
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from penstock.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse

NO_TOPIC_ID = TopicId(bytes(16))


@answers(
    ApiKey.DELETE_TOPICS,
    versions=(1, 6),
    requires=(DELETE_TOPIC, DESCRIBE_TOPIC, DELETE_CLUSTER),
    audits=(ResourceKind.TOPIC,),
)
async def delete_topics(
    request: DeleteTopicsRequest,
    context: RequestContext,
    image: ClusterImage,
    controller: Controller,
    config: Config,
    authorizer: Authorizer,
    quotas: ClientQuotas,
) -> DeleteTopicsResponse:
    topics = request.topics or [DeleteTopicState(name=name) for name in request.topic_names]
    if not config[DELETE_TOPIC_ENABLE]:
        refusal: Refusal = TopicDeletionDisabled()
        if context.api_version < 3:
            refusal = InvalidRequest(refusal.message)
        return DeleteTopicsResponse(responses=[_refused(topic.name, topic.topic_id, refusal) for topic in topics])
    results, found = _sort_out(topics, image, _Allowed(authorizer, context.caller.subject))
    held = TopicQuotas(quotas, context, strict_from=5)
    lost = {name: len(image.topics_by_id[topic_id].partitions) for topic_id, name in found.items()}
    for name, refusal in held.refused(lost, grows=False).items():
        topic_id = image.topics[name].topic_id
        results.append(_refused(found.pop(topic_id), topic_id, refusal))
    outcomes = await controller.delete_topics(list(found), timeout_ms=request.timeout_ms)
    for (topic_id, name), outcome in zip(found.items(), outcomes, strict=True):
        if isinstance(outcome, Refusal):
            held.not_done(lost[name])
            results.append(_refused(name, topic_id, outcome))
        else:
            results.append(DeletableTopicResult(name=name, topic_id=topic_id))
    return DeleteTopicsResponse(responses=results, throttle_time_ms=held.held_ms())


def _sort_out(
    topics: list[DeleteTopicState], image: ClusterImage, allowed: "_Allowed"
) -> tuple[list[DeletableTopicResult], dict[TopicId, str]]:
    """What is refused at once, and the ids and names of what is left to be deleted."""
    refused: list[DeletableTopicResult] = []
    for topic in topics:
        if topic.name is None and topic.topic_id == NO_TOPIC_ID:
            why = InvalidRequest("no topic is given: send its name or its id")
            refused.append(_refused(None, NO_TOPIC_ID, why))
        elif topic.name is not None and topic.topic_id != NO_TOPIC_ID:
            why = InvalidRequest("a topic is given by its name or by its id, not by both")
            refused.append(_refused(topic.name, topic.topic_id, why))
    names = Counter(topic.name for topic in topics if topic.name is not None and topic.topic_id == NO_TOPIC_ID)
    ids = Counter(TopicId(topic.topic_id) for topic in topics if topic.name is None and topic.topic_id != NO_TOPIC_ID)
    twice = InvalidRequest("the topic is named more than once in the request")
    refused += [_refused(name, NO_TOPIC_ID, twice) for name, count in names.items() if count > 1]
    twice = InvalidRequest("the topic's id comes more than once in the request")
    refused += [_refused(None, topic_id, twice) for topic_id, count in ids.items() if count > 1]
    found: dict[TopicId, str] = {}
    for topic_id in (topic_id for topic_id, count in ids.items() if count == 1):
        known = image.topics_by_id.get(topic_id)
        if known is None:
            refused.append(_refused(None, topic_id, UnknownTopicId()))
        elif allowed.to_delete(known.name):
            found[topic_id] = known.name
        else:
            # Who knows an id may know that there is such a topic, but not its name.
            shown = known.name if allowed.to_describe(known.name) else None
            refused.append(_refused(shown, topic_id, TopicAuthorizationFailed()))
    for name in (name for name, count in names.items() if count == 1):
        there = image.topics.get(name)
        if not allowed.to_delete(name) and not (there is None and allowed.to_describe(name)):
            refused.append(_refused(name, NO_TOPIC_ID, TopicAuthorizationFailed()))
        elif there is None:
            refused.append(_refused(name, NO_TOPIC_ID, UnknownTopicOrPartition()))
        elif ids[there.topic_id]:
            found.pop(there.topic_id, None)
            why = InvalidRequest("the topic is in the request by its id, too")
            refused.append(_refused(name, there.topic_id, why))
        else:
            found[there.topic_id] = name
    return refused, found


class _Allowed:
    """What the client may do: by a right on each topic, or one on the cluster for all of them."""

    def __init__(self, authorizer: Authorizer, subject: Subject) -> None:
        self._authorizer = authorizer
        self._subject = subject
        self._all = authorizer.has(subject, DELETE_CLUSTER)

    def to_delete(self, name: str) -> bool:
        # A right on all topics is not meant for the one of audit events.
        return (self._all and name != AUDIT) or self._authorizer.allows(self._subject, DELETE_TOPIC, name)

    def to_describe(self, name: str) -> bool:
        return self._all or self._authorizer.shows(self._subject, DESCRIBE_TOPIC, name)


def _refused(name: str | None, topic_id: bytes, refusal: Refusal) -> DeletableTopicResult:
    return DeletableTopicResult(name=name, topic_id=topic_id, error_code=refusal.code, error_message=refusal.message)
