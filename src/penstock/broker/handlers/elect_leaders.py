"""ElectLeaders: let the preferred replica lead, or, where nobody can, one that may lack acknowledged records.

v1 kinds of elections, v2 flexible. Asked about all partitions, those that have the leader they should are left out.
"""

from collections.abc import Sequence

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, Controller, ElectionType, ElectLeader
from penstock.errors import ClusterAuthorizationFailed, ElectionNotNeeded, InvalidRequest, Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse, PartitionResult, ReplicaElectionResult

KINDS_FROM = 1
_KINDS: dict[int, ElectionType] = {kind.value: kind for kind in ElectionType}


@answers(ApiKey.ELECT_LEADERS, versions=(0, 2), requires=(ALTER_CLUSTER,), audits=(ResourceKind.TOPIC,))
async def elect_leaders(
    request: ElectLeadersRequest,
    context: RequestContext,
    image: ClusterImage,
    controller: Controller,
    authorizer: Authorizer,
) -> ElectLeadersResponse:
    if not authorizer.allows(context.caller.subject, ALTER_CLUSTER):
        return _refused(request, context)
    number = request.election_type if context.api_version >= KINDS_FROM else ElectionType.PREFERRED
    asked = _asked(request, image)
    kind = _KINDS.get(number, ElectionType.PREFERRED)
    commands = [ElectLeader(topic, index, kind) for topic, indexes in asked for index in indexes]
    outcomes: Sequence[object]
    if number in _KINDS:
        outcomes = await controller.elect_leaders(commands, timeout_ms=request.timeout_ms)
    else:
        outcomes = [InvalidRequest(f"{number} is no kind of election: 0 is preferred, 1 is unclean")] * len(commands)
    results: dict[str, ReplicaElectionResult] = {topic: ReplicaElectionResult(topic=topic) for topic, _ in asked}
    for command, outcome in zip(commands, outcomes, strict=True):
        if request.topic_partitions is None and isinstance(outcome, ElectionNotNeeded):
            continue
        refusal = outcome if isinstance(outcome, Refusal) else None
        results[command.topic].partition_result.append(
            PartitionResult(
                partition_id=command.index,
                error_code=refusal.code if refusal else 0,
                error_message=refusal.message if refusal else None,
            )
        )
    return ElectLeadersResponse(
        error_code=0 if number in _KINDS else InvalidRequest.code, replica_election_results=list(results.values())
    )


def _refused(request: ElectLeadersRequest, context: RequestContext) -> ElectLeadersResponse:
    refusal = ClusterAuthorizationFailed
    return ElectLeadersResponse(
        error_code=refusal.code if context.api_version >= KINDS_FROM else 0,
        replica_election_results=[
            ReplicaElectionResult(
                topic.topic, [PartitionResult(index, refusal.code, refusal.meaning()) for index in topic.partitions]
            )
            for topic in request.topic_partitions or ()
        ],
    )


def _asked(request: ElectLeadersRequest, image: ClusterImage) -> list[tuple[str, list[int]]]:
    if request.topic_partitions is None:
        own = [(name, topic) for name, topic in sorted(image.topics.items()) if topic.source is None]
        return [(name, list(range(len(topic.partitions)))) for name, topic in own]
    return [(topic.topic, topic.partitions) for topic in request.topic_partitions]
