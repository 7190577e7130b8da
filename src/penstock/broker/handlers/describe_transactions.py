"""DescribeTransactions: what coordinators know of transactional ids, each answered for itself."""

from penstock.access.rights import DESCRIBE_TOPIC, DESCRIBE_TRANSACTIONAL_ID, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import answers
from penstock.coordinators.transactions import Transactions
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from penstock.wire.messages.describe_transactions_response import DescribeTransactionsResponse, TransactionState


@answers(
    ApiKey.DESCRIBE_TRANSACTIONS, versions=(0, 0), requires=(DESCRIBE_TRANSACTIONAL_ID, DESCRIBE_TOPIC), audits=NOTHING
)
async def describe_transactions(
    request: DescribeTransactionsRequest, transactions: Transactions
) -> DescribeTransactionsResponse:
    response = DescribeTransactionsResponse()
    async for transactional_id in cooperatively(request.transactional_ids):
        try:
            described = await transactions.describe(transactional_id)
        except Refusal as refusal:
            described = TransactionState(error_code=refusal.code, transactional_id=transactional_id)
        response.transaction_states.append(described)
    return response
