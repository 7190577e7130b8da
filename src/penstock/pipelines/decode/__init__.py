"""Record values to columns: plain functions DataFrame -> DataFrame, for any job and for notebooks.

Each takes a DataFrame with a binary column `value` (what both sources give) and returns it with two more columns:
`data`, the decoded value, and `error`, why it could not be decoded. One of them is null, both for a tombstone. No row
is ever dropped: `split` gives the good and the bad ones. Where fields may have another case than the columns, a third
column, `respelled`, says of which rows.

    decoded = decode_json(records, "id BIGINT, amount DOUBLE")
    good, bad = split(decoded)
"""

from penstock.pipelines.decode.avro import avro_columns, decode_avro
from penstock.pipelines.decode.inference import infer_json_schema
from penstock.pipelines.decode.json import as_struct, decode_json
from penstock.pipelines.decode.protobuf import decode_protobuf, message_columns
from penstock.pipelines.decode.raw import decode_raw
from penstock.pipelines.decode.schemas import KnownSchemas, SchemaFolder, SchemaRegistry, Schemas, SchemaUnknown
from penstock.pipelines.decode.spellings import decode_json_spelled, spellings
from penstock.pipelines.decode.split import split

__all__ = [
    "KnownSchemas",
    "SchemaFolder",
    "SchemaRegistry",
    "SchemaUnknown",
    "Schemas",
    "as_struct",
    "avro_columns",
    "decode_avro",
    "decode_json",
    "decode_json_spelled",
    "decode_protobuf",
    "decode_raw",
    "infer_json_schema",
    "message_columns",
    "spellings",
    "split",
]
