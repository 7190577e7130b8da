# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteTopicsRequest,
    {
        DeleteTopicState: (
            Field("name", "string", since=6, null_since=6),
            Field("topic_id", "uuid", since=6),
        ),
        DeleteTopicsRequest: (
            Field("topics", "[]DeleteTopicState", since=6),
            Field("topic_names", "[]string", until=5, ignorable=True),
            Field("timeout_ms", "int32"),
        ),
    },
)
