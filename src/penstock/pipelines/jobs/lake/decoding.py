"""How each mode decodes a batch, and which columns the batch asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.decode import (
    KnownSchemas,
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
from penstock.pipelines.jobs.expressions import understood
from penstock.pipelines.jobs.lake.evolution import after, changes
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.paths import local_path
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RAW = t.StructType([t.StructField("value", t.BinaryType())])


class Decoding(Protocol):
    @property
    def looks_at_data(self) -> bool:
        """Whether `wanted` reads the batch: then it is asked for every one."""

    @property
    def fixed(self) -> t.StructType | None:
        """The columns, where they are known without any data."""

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        """The columns that this batch's data has; `columns` are those that the table has for it, if there is one."""

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        """To the table's columns: adds `data` and `error`, and `respelled` where names may differ in case. The same
        outcome for each record however often it is asked for: good and bad rows are taken from it one after the
        other."""


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
    if registry.startswith(("http://", "https://")):
        return SchemaRegistry(registry)
    return SchemaFolder(str(local_path(registry, what="a folder of schemas")))


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
        del columns
        self._found = infer_json_schema(batch)
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
    _known: KnownSchemas = field(default_factory=lambda: KnownSchemas({}))
    """What this batch is read by. A schema that comes into the registry while it is read must not make a row good that
    was bad before, and then is in neither table."""

    @property
    def fixed(self) -> t.StructType | None:
        return None if self.reader is None else avro_columns(self.reader)

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        del columns
        framed = batch.where((fn.length("value") >= 5) & (fn.hex(fn.substring("value", 1, 1)) == "00"))
        schema_id = fn.conv(fn.hex(fn.substring("value", 2, 4)), 16, 10).cast("bigint")
        # The commonest first, whose spellings and types then are the columns'.
        rows = framed.groupBy(schema_id.alias("id")).count().orderBy(fn.desc("count"), "id").collect()
        self._known = KnownSchemas.of(self.schemas, [row.id for row in rows])
        if self.reader is not None:
            return avro_columns(self.reader)
        merged = t.StructType([])
        for row in rows:
            written = self._columns(row.id)
            if written is not None:
                merged = after(merged, changes(merged, written))
        return merged

    def _columns(self, schema_id: int) -> t.StructType | None:
        if schema_id not in self._seen:
            try:
                self._seen[schema_id] = avro_columns(self._known.schema(schema_id))
            except SchemaUnknown:
                return None  # its rows become bad rows, with that reason
            except ValueError as error:
                raise PipelineProblem(f"schema {schema_id} cannot be used: {error}") from error
        return self._seen[schema_id]

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        return decode_avro(batch, self.reader, schemas=self._known, columns=columns)
