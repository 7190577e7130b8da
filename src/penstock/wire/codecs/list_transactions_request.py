# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_transactions_request import ListTransactionsRequest
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListTransactionsRequest,
    {
        ListTransactionsRequest: (
            Field("state_filters", "[]string"),
            Field("producer_id_filters", "[]int64"),
            Field("duration_filter", "int64", since=1),
            Field("transactional_id_pattern", "string", since=2, null_since=2),
        ),
    },
)
