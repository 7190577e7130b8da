# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.delete_records_request import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DeleteRecordsRequest,
    {
        DeleteRecordsTopic: (
            Field("name", "string"),
            Field("partitions", "[]DeleteRecordsPartition"),
        ),
        DeleteRecordsPartition: (
            Field("partition_index", "int32"),
            Field("offset", "int64"),
        ),
        DeleteRecordsRequest: (
            Field("topics", "[]DeleteRecordsTopic"),
            Field("timeout_ms", "int32"),
        ),
    },
)
