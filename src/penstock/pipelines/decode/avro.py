"""Avro by fastavro: it names the reason for each value it refuses, which spark-avro does not, and needs no jar.

Without `schemas` a value is the bare Avro of `schema`. With it, a value has the registry's prefix and is read by the
schema that its id names; `schema` then says the wanted columns, and Avro's own rules bring one to the other.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from penstock.pipelines.decode.avro_types import named_fields, readable, spark_type
from penstock.pipelines.decode.framing import unframe
from penstock.pipelines.decode.json_renaming import names_of, renamed
from penstock.pipelines.decode.rows import Decode, Respelled, decode_rows
from penstock.pipelines.decode.schemas import SchemasUnreachable
from penstock.pipelines.decode.spellings import spellings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from penstock.pipelines.decode.schemas import Schemas


def decode_avro(
    records: DataFrame, schema: Any = None, *, schemas: Schemas | None = None, columns: StructType | None = None
) -> DataFrame:
    """`schema` as parsed JSON or text. `columns` overrides the columns that it would give, such as with wider types."""
    schema = _plain(schema)
    if schema is None and (schemas is None or columns is None):
        raise ValueError("Avro needs a schema, or a registry and the columns to fill")
    wanted = columns if columns is not None else spark_type(schema)

    def decoder() -> Decode:
        return _bare(schema) if schemas is None else _framed(schemas, schema, wanted)

    return decode_rows(records, wanted, decoder)


def avro_columns(schema: Any) -> StructType:
    return spark_type(_plain(schema))


def _plain(schema: Any) -> Any:
    return json.loads(schema) if isinstance(schema, str) and schema.lstrip()[:1] in ("{", "[") else schema


def _bare(schema: Any) -> Decode:
    return _reading(_parsed(schema), None)


def _framed(schemas: Schemas, schema: Any, columns: StructType) -> Decode:
    reader = None if schema is None else _parsed(schema)
    known: dict[int, Decode] = {}

    def decode(value: bytes) -> dict[str, Any]:
        schema_id, payload = unframe(value)
        if schema_id not in known:
            writer = schemas.schema(schema_id)
            strange = _strange(writer, schema, columns)
            if not strange:
                known[schema_id] = _reading(_parsed(writer), reader)
            elif reader is None:
                known[schema_id] = _renaming(_reading(_parsed(writer), None), columns)
            else:
                known[schema_id] = _refusing(strange)
        return known[schema_id](payload)

    return decode


def _strange(writer: Any, reader: Any, columns: StructType) -> str | None:
    """Why the columns would miss a field of all that this schema wrote."""
    found = spellings(columns if reader is None else named_fields(reader), named_fields(writer))
    # To Avro's rules a field in another case is another field: unless the reader's has that name too, by an alias, it
    # is passed over, and the reader's gets its default.
    aliases = _aliases(reader)
    return next((each.error for each in found if each.path[-1] not in aliases), None)


def _aliases(schema: Any) -> frozenset[str]:
    """Other names that a reader's schema has for its fields, those within other fields too."""
    match schema:
        case list():
            return frozenset().union(*(_aliases(each) for each in schema))
        case {"type": _}:
            inner = [_aliases(schema.get(name)) for name in ("type", "fields", "items", "values")]
            return frozenset(schema.get("aliases", ())).union(*inner)
    return frozenset()


def _renaming(read: Decode, columns: StructType) -> Decode:
    names = names_of(columns)

    def decode(payload: bytes) -> dict[str, Any]:
        return Respelled(renamed(read(payload), names))

    return decode


def _refusing(reason: str) -> Decode:
    def decode(_: bytes) -> dict[str, Any]:
        raise ValueError(reason)

    return decode


def _parsed(schema: Any) -> Any:
    from fastavro import parse_schema  # noqa: PLC0415 - in the executor's Python

    return parse_schema(readable(schema))


def _reading(writer: Any, reader: Any) -> Decode:
    from fastavro import schemaless_reader  # noqa: PLC0415

    def decode(payload: bytes) -> dict[str, Any]:
        data = io.BytesIO(payload)
        try:
            value = schemaless_reader(data, writer, reader)
        except (SchemasUnreachable, MemoryError):
            raise
        except Exception as error:  # fastavro lets out whatever Python raised over the bytes
            raise ValueError(f"not Avro of its schema: {error or type(error).__name__}") from error
        if data.read(1):
            raise ValueError(f"not Avro of its schema: {len(payload) - data.tell() + 1} bytes too many")
        if not isinstance(value, dict):
            raise ValueError("its schema is no record")
        return value

    return decode
