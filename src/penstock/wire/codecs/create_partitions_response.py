# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_partitions_response import CreatePartitionsResponse, CreatePartitionsTopicResult
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreatePartitionsResponse,
    {
        CreatePartitionsTopicResult: (
            Field("name", "string"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        CreatePartitionsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("results", "[]CreatePartitionsTopicResult"),
        ),
    },
)
