"""InitProducerId: an id and epoch under which a producer's batches are told apart.

v2 flexible, v3 the producer's former id and epoch (KIP-360), v4 PRODUCER_FENCED, v5 TRANSACTION_ABORTABLE. Ids come
from blocks that the metadata store gives out once. A producer without a transactional id always gets a new one; with
one, its coordinator gives it the id's next epoch, which fences whoever had the one before.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import IDEMPOTENT_WRITE, WRITE_TOPIC, WRITE_TRANSACTIONAL_ID, ResourceKind
from penstock.access.subject import Subject
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ProducerIds
from penstock.coordinators.transactions import Producer, Transactions
from penstock.errors import ClusterAuthorizationFailed, InvalidProducerEpoch, InvalidRequest, ProducerFenced, Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse

UNKNOWN = -1
FENCED_FROM = 4


@answers(
    ApiKey.INIT_PRODUCER_ID,
    versions=(0, 5),
    requires=(WRITE_TRANSACTIONAL_ID, IDEMPOTENT_WRITE, WRITE_TOPIC),
    audits=(ResourceKind.TRANSACTIONAL_ID,),
)
async def init_producer_id(
    request: InitProducerIdRequest,
    context: RequestContext,
    producer_ids: ProducerIds,
    transactions: Transactions,
    authorizer: Authorizer,
) -> InitProducerIdResponse:
    try:
        _require_right(authorizer, context.caller.subject, request.transactional_id)
        producer = await _producer(request, producer_ids, transactions)
    except Refusal as refusal:
        is_older = isinstance(refusal, ProducerFenced) and context.api_version < FENCED_FROM
        code = InvalidProducerEpoch.code if is_older else refusal.code
        return InitProducerIdResponse(error_code=code, producer_id=UNKNOWN, producer_epoch=UNKNOWN)
    return InitProducerIdResponse(producer_id=producer.producer_id, producer_epoch=producer.producer_epoch)


def _require_right(authorizer: Authorizer, subject: Subject, transactional_id: str | None) -> None:
    if transactional_id is not None:
        authorizer.require(subject, WRITE_TRANSACTIONAL_ID, transactional_id)
    elif not authorizer.has(subject, IDEMPOTENT_WRITE) and not authorizer.allows_some(subject, WRITE_TOPIC):
        raise ClusterAuthorizationFailed


async def _producer(request: InitProducerIdRequest, producer_ids: ProducerIds, transactions: Transactions) -> Producer:
    if (request.producer_id == UNKNOWN) != (request.producer_epoch == UNKNOWN):
        raise InvalidRequest("a former producer id and its epoch come together or not at all")
    if request.transactional_id is None:
        return Producer(await producer_ids.next(), 0)
    return await transactions.init_producer(
        request.transactional_id,
        timeout_ms=request.transaction_timeout_ms,
        expected=None if request.producer_id == UNKNOWN else (request.producer_id, request.producer_epoch),
    )
