# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteRecordsResponse,
    {
        DeleteRecordsTopicResult: (
            Field("name", "string"),
            Field("partitions", "[]DeleteRecordsPartitionResult"),
        ),
        DeleteRecordsPartitionResult: (
            Field("partition_index", "int32"),
            Field("low_watermark", "int64"),
            Field("error_code", "int16"),
        ),
        DeleteRecordsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("topics", "[]DeleteRecordsTopicResult"),
        ),
    },
)
