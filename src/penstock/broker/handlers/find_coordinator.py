"""FindCoordinator: which broker to ask about a group, a transactional id or a share partition.

v1 kinds of coordinators, v3 flexible, v4 many keys at once, v5 TRANSACTION_ABORTABLE, v6 share groups. The address is
the one of the listener that the request came in on (RULES 35).

If the coordinator may just have died, the answer waits until that is known (BrokerAvailability): a client that is sent
back to it would find its address closed, and wait before it asks again.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, DESCRIBE_GROUP, DESCRIBE_TRANSACTIONAL_ID, NOTHING
from penstock.access.subject import Subject
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import BrokerAvailability
from penstock.coordinators.groups import Groups
from penstock.coordinators.service import CoordinatorService
from penstock.coordinators.shares.service import Shares
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.coordinators.transactions import Transactions
from penstock.errors import CoordinatorNotAvailable, InvalidRequest, Refusal
from penstock.model import BrokerId
from penstock.replication import Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from penstock.wire.produce import Endpoint

GROUP, TRANSACTION, SHARE = 0, 1, 2
MANY_KEYS_FROM = 4
SHARES_FROM = 6
NOBODY = Endpoint(-1, "", -1, None)
NO_ERROR_SAID = "NONE"
"""What Kafka writes into the message of an answer without an error."""


@answers(
    ApiKey.FIND_COORDINATOR,
    versions=(0, 6),
    requires=(DESCRIBE_GROUP, DESCRIBE_TRANSACTIONAL_ID, CLUSTER_ACTION),
    audits=NOTHING,
)
async def find_coordinator(
    request: FindCoordinatorRequest,
    context: RequestContext,
    groups: Groups,
    transactions: Transactions,
    shares: Shares,
    partitions: Partitions,
    availability: BrokerAvailability,
    authorizer: Authorizer,
) -> FindCoordinatorResponse:
    keys = request.coordinator_keys if context.api_version >= MANY_KEYS_FROM else [request.key]
    coordinators: dict[int, CoordinatorService] = {GROUP: groups, TRANSACTION: transactions}
    if context.api_version >= SHARES_FROM:
        coordinators[SHARE] = shares
    found = []
    async for key in cooperatively(keys):
        try:
            _require_right(authorizer, context.caller.subject, request.key_type, key)
            if request.key_type not in coordinators:
                raise InvalidRequest(f"no coordinators of kind {request.key_type}")
            named = str(SharePartitionKey.parse(key)) if request.key_type == SHARE else key
            leader = await _leader(named, coordinators[request.key_type], availability)
            endpoint = _endpoint(leader, context, partitions)
            found.append(Coordinator(key, endpoint.node_id, endpoint.host, endpoint.port))
        except Refusal as refusal:
            found.append(Coordinator(key, NOBODY.node_id, NOBODY.host, NOBODY.port, refusal.code, refusal.message))
    if context.api_version >= MANY_KEYS_FROM:
        return FindCoordinatorResponse(coordinators=found)
    (only,) = found
    return FindCoordinatorResponse(
        error_code=only.error_code,
        error_message=only.error_message if only.error_code else NO_ERROR_SAID,
        node_id=only.node_id,
        host=only.host,
        port=only.port,
    )


def _require_right(authorizer: Authorizer, subject: Subject, key_type: int, key: str) -> None:
    if key_type == GROUP:
        authorizer.require(subject, DESCRIBE_GROUP, key)
    elif key_type == TRANSACTION:
        authorizer.require(subject, DESCRIBE_TRANSACTIONAL_ID, key)
    elif key_type == SHARE:
        authorizer.require(subject, CLUSTER_ACTION)


async def _leader(key: str, coordinators: CoordinatorService, availability: BrokerAvailability) -> BrokerId:
    await coordinators.coordinator_of(key)
    await availability.judged(lambda suspects: coordinators.known_coordinator_of(key) in suspects)
    return coordinators.known_coordinator_of(key)


def _endpoint(leader: BrokerId, context: RequestContext, partitions: Partitions) -> Endpoint:
    endpoints = partitions.endpoints([leader], listener=context.listener)
    if not endpoints:
        raise CoordinatorNotAvailable
    return endpoints[0]
