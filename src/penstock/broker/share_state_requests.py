"""What the five APIs of share groups' state have in common: who may ask, and that each partition has its own answer.

Where there are other brokers, only they ask (RULES 25): a stranger's write would be taken for what consumers did.
"""

from typing import Any

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION
from penstock.broker.peer_authentication import Caller, PeerAuthenticator
from penstock.coordinators.shares.commands import Question
from penstock.coordinators.shares.peer_requests import EXCHANGES
from penstock.coordinators.shares.service import Shares
from penstock.errors import ClusterAuthorizationFailed, Refusal
from penstock.replication import Promise


async def answer(
    kind: type[Question],
    request: Any,
    caller: Caller,
    *,
    shares: Shares,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> Any:
    exchange = EXCHANGES[kind]
    questions = exchange.questions(request)
    try:
        authorizer.require(caller.subject, CLUSTER_ACTION)
        authenticator.require_broker(caller)
    except ClusterAuthorizationFailed as refusal:
        return exchange.respond(request, [refusal] * len(questions))
    if not request.group_id.strip() or not all(topic.partitions for topic in request.topics):
        return exchange.response()  # as Kafka answers them
    # All are carried out before the first is waited for.
    promises = [_ask(shares, question) for question in questions]
    return exchange.respond(request, [await promise for promise in promises])


def _ask(shares: Shares, question: Question) -> Promise[Any]:
    try:
        return shares.ask(question)
    except Refusal as refusal:
        promise = Promise[Any]()
        promise.set_result(refusal)
        return promise
