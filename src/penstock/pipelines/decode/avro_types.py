"""Avro schemas to Spark types, and to the schema that is read with.

Times of day, UUIDs and nanoseconds have no column type in Iceberg that all engines read: they are read as what they
are written as (integers, texts). A union is its one type beside null, or the wider of two numbers.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import types as t

_PLAIN: dict[str, t.DataType] = {
    "boolean": t.BooleanType(),
    "int": t.IntegerType(),
    "long": t.LongType(),
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "bytes": t.BinaryType(),
    "string": t.StringType(),
    "fixed": t.BinaryType(),
    "enum": t.StringType(),
}
_LOGICAL: dict[str, t.DataType] = {
    "date": t.DateType(),
    "timestamp-millis": t.TimestampType(),
    "timestamp-micros": t.TimestampType(),
    "local-timestamp-millis": t.TimestampNTZType(),
    "local-timestamp-micros": t.TimestampNTZType(),
}
_WIDER = ({"int", "long"}, t.LongType()), ({"float", "double"}, t.DoubleType()), ({"string", "enum"}, t.StringType())


class NoColumnType(ValueError):
    """The schema has a part that no column can hold."""


def spark_type(schema: Any) -> t.StructType:
    """Of a record schema: tables have named columns."""
    kind = _Types().of(schema)
    if not isinstance(kind, t.StructType):
        raise NoColumnType(f"the schema is a {kind.simpleString()}; only records have columns")
    return kind


def named_fields(schema: Any) -> t.StructType:
    """What the record's fields are called, those within other fields too, also where no column can hold them."""
    kind = _Types(of_any=True).of(schema)
    return kind if isinstance(kind, t.StructType) else t.StructType()


def readable(schema: Any) -> Any:
    """The schema as values are read: logical types without a column type taken away."""
    match schema:
        case list():
            return [readable(branch) for branch in schema]
        case dict():
            changed = {key: readable(value) if key in ("type", "items", "values") else value
                       for key, value in schema.items()}  # fmt: skip
            if "fields" in schema:
                changed["fields"] = [{**each, "type": readable(each["type"])} for each in schema["fields"]]
            if "logicalType" in schema and schema["logicalType"] not in {*_LOGICAL, "decimal"}:
                del changed["logicalType"]
            return changed
        case _:
            return schema


class _Types:
    def __init__(self, *, of_any: bool = False) -> None:
        self._of_any = of_any
        self._named: dict[str, Any] = {}
        self._open: list[str] = []

    def of(self, schema: Any, space: str = "") -> t.DataType:
        match schema:
            case str() if schema in _PLAIN:
                return _PLAIN[schema]
            case str():
                return self._reference(schema, space)
            case list():
                return self._union(schema, space)
            case {"type": "record", "fields": fields}:
                return self._record(schema, fields, space)
            case {"type": "array", "items": items}:
                return t.ArrayType(self.of(items, space))
            case {"type": "map", "values": values}:
                return t.MapType(t.StringType(), self.of(values, space))
            case {"type": "bytes" | "fixed", "logicalType": "decimal", "precision": precision}:
                if "name" in schema:  # a fixed has one, bytes do not
                    self._define(schema, space)
                return t.DecimalType(precision, schema.get("scale", 0))
            case {"type": "int" | "long", "logicalType": str(logical)} if logical in _LOGICAL:
                return _LOGICAL[logical]
            case {"type": "enum" | "fixed" as kind}:
                self._define(schema, space)
                return _PLAIN[kind]
            case {"type": inner}:
                return self.of(inner, space)
            case _:
                return self._none(f"no Avro schema: {schema!r}")

    def _record(self, schema: dict[str, Any], fields: list[dict[str, Any]], space: str) -> t.DataType:
        name, space = self._define(schema, space)
        if name in self._open:
            return self._none(f"{name} contains itself; no column can hold that")
        self._open.append(name)
        kinds = t.StructType([t.StructField(each["name"], self.of(each["type"], space)) for each in fields])
        self._open.pop()
        return kinds

    def _define(self, schema: dict[str, Any], space: str) -> tuple[str, str]:
        name, space = _full(schema["name"], schema.get("namespace", space))
        self._named[name] = schema
        return name, space

    def _reference(self, name: str, space: str) -> t.DataType:
        full, _ = _full(name, space)
        known = self._named.get(full, self._named.get(name))
        if known is None:
            return self._none(f"the schema names {name}, which it does not define")
        return self.of(known, space)

    def _union(self, branches: list[Any], space: str) -> t.DataType:
        some = [branch for branch in branches if branch != "null"]
        if len(some) == 1:
            return self.of(some[0], space)
        plain = {branch if isinstance(branch, str) else branch.get("type") for branch in some}
        for family, kind in _WIDER:
            if some and plain <= family and not any(isinstance(b, dict) and "logicalType" in b for b in some):
                return kind
        return self._none(f"a union of {len(some)} types has no column type: {some!r}"[:300])

    def _none(self, why: str) -> t.DataType:
        if not self._of_any:
            raise NoColumnType(why)
        return t.NullType()


def _full(name: str, space: str) -> tuple[str, str]:
    if "." in name:
        return name, name.rpartition(".")[0]
    return (f"{space}.{name}" if space else name), space
