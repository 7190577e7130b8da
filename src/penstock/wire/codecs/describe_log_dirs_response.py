# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeLogDirsResponse,
    {
        DescribeLogDirsResult: (
            Field("error_code", "int16"),
            Field("log_dir", "string"),
            Field("topics", "[]DescribeLogDirsTopic"),
            Field("total_bytes", "int64", since=4, ignorable=True),
            Field("usable_bytes", "int64", since=4, ignorable=True),
            Field("is_cordoned", "bool", since=5, ignorable=True),
        ),
        DescribeLogDirsTopic: (
            Field("name", "string"),
            Field("partitions", "[]DescribeLogDirsPartition"),
        ),
        DescribeLogDirsPartition: (
            Field("partition_index", "int32"),
            Field("partition_size", "int64"),
            Field("offset_lag", "int64"),
            Field("is_future_key", "bool"),
        ),
        DescribeLogDirsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16", since=3, ignorable=True),
            Field("results", "[]DescribeLogDirsResult"),
        ),
    },
)
