"""EndTxn: commit or abort a transaction.

v1 throttle time, v2 PRODUCER_FENCED, v3 flexible, v4 TRANSACTION_ABORTABLE, v5 the epoch rises with every end, and the
answer says which it is (KIP-890). Answered when the outcome is settled; markers follow.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import WRITE_TRANSACTIONAL_ID, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.transactions import Transactions, TransactionVersion
from penstock.errors import InvalidProducerEpoch, ProducerFenced
from penstock.wire.api import ApiKey
from penstock.wire.messages.end_txn_request import EndTxnRequest
from penstock.wire.messages.end_txn_response import EndTxnResponse

FENCED_FROM = 2
BUMPS_EPOCH_FROM = 5


@answers(ApiKey.END_TXN, versions=(0, 5), requires=(WRITE_TRANSACTIONAL_ID,), audits=(ResourceKind.TRANSACTIONAL_ID,))
async def end_txn(
    request: EndTxnRequest, context: RequestContext, transactions: Transactions, authorizer: Authorizer
) -> EndTxnResponse:
    authorizer.require(context.caller.subject, WRITE_TRANSACTIONAL_ID, request.transactional_id)
    bumps = context.api_version >= BUMPS_EPOCH_FROM
    try:
        producer = await transactions.end(
            request.transactional_id,
            producer_id=request.producer_id,
            producer_epoch=request.producer_epoch,
            commits=request.committed,
            version=TransactionVersion.TV2 if bumps else TransactionVersion.TV0,
        )
    except ProducerFenced as fenced:
        if context.api_version >= FENCED_FROM:
            raise
        raise InvalidProducerEpoch(fenced.message) from None
    if not bumps:
        return EndTxnResponse()
    return EndTxnResponse(producer_id=producer.producer_id, producer_epoch=producer.producer_epoch)
