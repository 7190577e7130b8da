# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_regular_expression_value import ConsumerGroupRegularExpressionValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupRegularExpressionValue,
    {
        ConsumerGroupRegularExpressionValue: (
            Field("topics", "[]string"),
            Field("version", "int64"),
            Field("timestamp", "int64"),
        ),
    },
)
