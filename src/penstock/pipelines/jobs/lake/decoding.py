"""How each mode decodes a batch, and which columns the batch asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.decode import (
    SchemaFolder,
    SchemaRegistry,
    Schemas,
    SchemaUnknown,
    as_struct,
    avro_columns,
    decode_avro,
    decode_json,
    decode_json_spelled,
    decode_protobuf,
    decode_raw,
    infer_json_schema,
    message_columns,
    spellings,
)
from penstock.pipelines.jobs.lake.evolution import after, changes, hidden
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.jobs.understanding import understood
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RAW = t.StructType([t.StructField("value", t.BinaryType())])


class Decoding(Protocol):
    @property
    def looks_at_data(self) -> bool:
        """Whether `wanted` reads the batch: then it is worth keeping while it is worked on."""

    @property
    def fixed(self) -> t.StructType | None:
        """The columns, where they are known without any data."""

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        """The columns that this batch's data has; `columns` are those that the table has for it, if there is one."""

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        """To the table's columns: adds `data` and `error`."""


def decoding(options: LakeOptions) -> Decoding:
    try:
        with understood("the schema"):
            how = _decoding(options)
    except (ValueError, LookupError) as error:
        raise PipelineProblem(f"the schema cannot be used: {error}") from error
    twice = [] if how.fixed is None else spellings(_one_of_each(how.fixed), how.fixed)
    if twice:
        raise PipelineProblem(f"the schema cannot be used: {twice[0].error}")
    return how


def _one_of_each(fields: t.StructType) -> t.StructType:
    """Of names that differ only in case, the first."""
    return after(t.StructType(), changes(t.StructType(), fields))


def _decoding(options: LakeOptions) -> Decoding:
    match options.mode:
        case "raw":
            return _Fixed(RAW, lambda batch, _columns: decode_raw(batch))
        case "json" if options.schema is not None:
            return _Fixed(as_struct(options.schema), decode_json)
        case "json":
            return _Inferred()
        case "protobuf":
            assert options.descriptors is not None and options.message is not None
            descriptors, message, framed = options.descriptors, options.message, options.framed
            return _Fixed(
                message_columns(descriptors, message),
                lambda batch, columns: decode_protobuf(batch, descriptors, message, framed=framed, columns=columns),
            )
        case _ if options.registry:
            return _Registered(_schemas(options.registry), options.schema)
        case _:
            schema = json.loads(options.schema or "")
            return _Fixed(avro_columns(schema), lambda batch, columns: decode_avro(batch, schema, columns=columns))


def _schemas(registry: str) -> Schemas:
    return SchemaRegistry(registry) if registry.startswith(("http://", "https://")) else SchemaFolder(registry)


class _Decode(Protocol):
    def __call__(self, batch: DataFrame, columns: t.StructType, /) -> DataFrame: ...


@dataclass
class _Fixed:
    columns: t.StructType
    decoder: _Decode
    looks_at_data: bool = False

    @property
    def fixed(self) -> t.StructType:
        return self.columns

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        del batch, columns
        return self.columns

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        return self.decoder(batch, columns)


@dataclass
class _Inferred:
    looks_at_data: bool = True
    fixed: None = None
    _found: t.StructType = field(default_factory=t.StructType)
    """The fields of the batch that was looked at last, in all their spellings."""

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        self._found = infer_json_schema(batch)
        if columns is not None and hidden(columns, self._found):
            # One record with a number there makes text of every object to inference, and what is new within those, or
            # spelled otherwise, would be passed over. It will be a bad row: the others say what there is.
            self._found = infer_json_schema(decode_json(batch, columns).where(fn.col("error").isNull()))
        return _one_of_each(self._found)

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        return decode_json_spelled(batch, columns, self._found)


@dataclass
class _Registered:
    """Framed Avro: the columns are those of all writers' schemas that were seen."""

    schemas: Schemas
    reader: str | None
    looks_at_data: bool = True
    _seen: dict[int, t.StructType] = field(default_factory=dict)

    @property
    def fixed(self) -> t.StructType | None:
        return None if self.reader is None else avro_columns(self.reader)

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        del columns
        if self.reader is not None:
            return avro_columns(self.reader)
        framed = batch.where((fn.length("value") >= 5) & (fn.hex(fn.substring("value", 1, 1)) == "00"))
        schema_id = fn.conv(fn.hex(fn.substring("value", 2, 4)), 16, 10).cast("bigint")
        merged = t.StructType([])
        for row in framed.select(schema_id.alias("id")).distinct().orderBy("id").collect():
            written = self._columns(row.id)
            if written is not None:
                merged = after(merged, changes(merged, written))
        return merged

    def _columns(self, schema_id: int) -> t.StructType | None:
        if schema_id not in self._seen:
            try:
                self._seen[schema_id] = avro_columns(self.schemas.schema(schema_id))
            except SchemaUnknown:
                return None  # its rows become bad rows, with that reason
            except ValueError as error:
                raise PipelineProblem(f"schema {schema_id} cannot be used: {error}") from error
        return self._seen[schema_id]

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        return decode_avro(batch, self.reader, schemas=self.schemas, columns=columns)
