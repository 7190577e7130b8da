# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_transactions_response import (
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeTransactionsResponse,
    {
        TransactionState: (
            Field("error_code", "int16"),
            Field("transactional_id", "string"),
            Field("transaction_state", "string"),
            Field("transaction_timeout_ms", "int32"),
            Field("transaction_start_time_ms", "int64"),
            Field("producer_id", "int64"),
            Field("producer_epoch", "int16"),
            Field("topics", "[]TopicData"),
        ),
        TopicData: (
            Field("topic", "string"),
            Field("partitions", "[]int32"),
        ),
        DescribeTransactionsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("transaction_states", "[]TransactionState"),
        ),
    },
)
