# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeTransactionsRequest,
    {
        DescribeTransactionsRequest: (Field("transactional_ids", "[]string"),),
    },
)
