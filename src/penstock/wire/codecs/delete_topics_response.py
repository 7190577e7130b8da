# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteTopicsResponse,
    {
        DeletableTopicResult: (
            Field("name", "string", null_since=6),
            Field("topic_id", "uuid", since=6, ignorable=True),
            Field("error_code", "int16"),
            Field("error_message", "string", since=5, null_since=5, ignorable=True),
        ),
        DeleteTopicsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("responses", "[]DeletableTopicResult"),
        ),
    },
)
