"""AddOffsetsToTxn: a transaction will commit offsets of a group.

v1 throttle time, v2 PRODUCER_FENCED, v3 flexible, v4 TRANSACTION_ABORTABLE.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, WRITE_TRANSACTIONAL_ID, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.transactions import Transactions
from penstock.errors import InvalidProducerEpoch, ProducerFenced
from penstock.wire.api import ApiKey
from penstock.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from penstock.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse

FENCED_FROM = 2


@answers(
    ApiKey.ADD_OFFSETS_TO_TXN,
    versions=(0, 4),
    requires=(WRITE_TRANSACTIONAL_ID, READ_GROUP),
    audits=(ResourceKind.TRANSACTIONAL_ID,),
)
async def add_offsets_to_txn(
    request: AddOffsetsToTxnRequest, context: RequestContext, transactions: Transactions, authorizer: Authorizer
) -> AddOffsetsToTxnResponse:
    subject = context.caller.subject
    authorizer.require(subject, WRITE_TRANSACTIONAL_ID, request.transactional_id)
    authorizer.require(subject, READ_GROUP, request.group_id)
    try:
        await transactions.add_offsets(
            request.transactional_id,
            producer_id=request.producer_id,
            producer_epoch=request.producer_epoch,
            group_id=request.group_id,
        )
    except ProducerFenced as fenced:
        if context.api_version >= FENCED_FROM:
            raise
        raise InvalidProducerEpoch(fenced.message) from None
    return AddOffsetsToTxnResponse()
