"""ListTransactions: the transactional ids that this broker coordinates, and the states they are in.

v1 filter by how long a transaction has been open, v2 by a pattern of ids (KIP-1152). State names that nobody knows are
told back.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TRANSACTIONAL_ID, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.transactions import STATE_BY_LABEL, Transactions
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_transactions_request import ListTransactionsRequest
from penstock.wire.messages.list_transactions_response import ListTransactionsResponse


@answers(ApiKey.LIST_TRANSACTIONS, versions=(0, 2), requires=(DESCRIBE_TRANSACTIONAL_ID,), audits=NOTHING)
async def list_transactions(
    request: ListTransactionsRequest, context: RequestContext, transactions: Transactions, authorizer: Authorizer
) -> ListTransactionsResponse:
    known = frozenset(STATE_BY_LABEL[label] for label in request.state_filters if label in STATE_BY_LABEL)
    listed = await transactions.list(
        producer_ids=frozenset(request.producer_id_filters),
        states=known if request.state_filters else None,
        duration_ms=request.duration_filter,
        pattern=request.transactional_id_pattern,
    )
    if authorizer.is_on:
        subject = context.caller.subject
        listed = [
            each
            async for each in cooperatively(listed)
            if authorizer.shows(subject, DESCRIBE_TRANSACTIONAL_ID, each.transactional_id)
        ]
    unknown = dict.fromkeys(label for label in request.state_filters if label not in STATE_BY_LABEL)
    response = ListTransactionsResponse(unknown_state_filters=list(unknown), transaction_states=listed)
    return await encoded_if_large(response, context.api_version, size=len(listed))
