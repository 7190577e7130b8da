# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreateTopicsResponse,
    {
        CreatableTopicResult: (
            Field("name", "string"),
            Field("topic_id", "uuid", since=7, ignorable=True),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("topic_config_error_code", "int16", since=5, tag=0, ignorable=True),
            Field("num_partitions", "int32", since=5, ignorable=True),
            Field("replication_factor", "int16", since=5, ignorable=True),
            Field("configs", "[]CreatableTopicConfigs", since=5, null_since=5, ignorable=True),
        ),
        CreatableTopicConfigs: (
            Field("name", "string", since=5),
            Field("value", "string", since=5, null_since=5),
            Field("read_only", "bool", since=5),
            Field("config_source", "int8", since=5, ignorable=True),
            Field("is_sensitive", "bool", since=5),
        ),
        CreateTopicsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("topics", "[]CreatableTopicResult"),
        ),
    },
)
