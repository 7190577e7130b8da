# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_transactions_response import ListTransactionsResponse, TransactionState
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListTransactionsResponse,
    {
        TransactionState: (
            Field("transactional_id", "string"),
            Field("producer_id", "int64"),
            Field("transaction_state", "string"),
        ),
        ListTransactionsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("unknown_state_filters", "[]string"),
            Field("transaction_states", "[]TransactionState"),
        ),
    },
)
