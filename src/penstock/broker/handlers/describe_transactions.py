"""DescribeTransactions: what coordinators know of transactional ids, each answered for itself."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOPIC, DESCRIBE_TRANSACTIONAL_ID, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.transactions import Transactions
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from penstock.wire.messages.describe_transactions_response import DescribeTransactionsResponse, TransactionState


@answers(
    ApiKey.DESCRIBE_TRANSACTIONS, versions=(0, 0), requires=(DESCRIBE_TRANSACTIONAL_ID, DESCRIBE_TOPIC), audits=NOTHING
)
async def describe_transactions(
    request: DescribeTransactionsRequest, context: RequestContext, transactions: Transactions, authorizer: Authorizer
) -> DescribeTransactionsResponse:
    subject = context.caller.subject
    response = DescribeTransactionsResponse()
    async for transactional_id in cooperatively(request.transactional_ids):
        try:
            authorizer.require(subject, DESCRIBE_TRANSACTIONAL_ID, transactional_id)
            described = await transactions.describe(transactional_id)
            described.topics = [
                topic for topic in described.topics if authorizer.shows(subject, DESCRIBE_TOPIC, topic.topic)
            ]
        except Refusal as refusal:
            described = TransactionState(error_code=refusal.code, transactional_id=transactional_id)
        response.transaction_states.append(described)
    return response
