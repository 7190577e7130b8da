# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeProducersResponse,
    {
        TopicResponse: (
            Field("name", "string"),
            Field("partitions", "[]PartitionResponse"),
        ),
        PartitionResponse: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("active_producers", "[]ProducerState"),
        ),
        ProducerState: (
            Field("producer_id", "int64"),
            Field("producer_epoch", "int32"),
            Field("last_sequence", "int32"),
            Field("last_timestamp", "int64"),
            Field("coordinator_epoch", "int32"),
            Field("current_txn_start_offset", "int64"),
        ),
        DescribeProducersResponse: (
            Field("throttle_time_ms", "int32"),
            Field("topics", "[]TopicResponse"),
        ),
    },
)
