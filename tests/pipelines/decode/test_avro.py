"""Avro: bare and with the registry's prefix, several writers' schemas in one batch, and what cannot be read."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from fastavro import parse_schema, schemaless_writer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.pipelines.decode import SchemaFolder, SchemaRegistry, decode_avro, split
from penstock.pipelines.decode.avro_types import NoColumnType, spark_type
from penstock.pipelines.decode.schemas import SchemasUnreachable, SchemaUnknown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ORDER = {
    "type": "record", "name": "Order", "namespace": "shop", "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["NEW", "OLD"]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}, "default": []},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "before", "type": ["null", "Kind"], "default": None},
    ],
}  # fmt: skip
WIDER = {**ORDER, "fields": [*ORDER["fields"], {"name": "extra", "type": "int", "default": 5}]}
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def an_order(number: int) -> dict[str, Any]:
    return {"id": number, "price": Decimal("12.34"), "at": AT, "kind": "NEW", "tags": ["a"], "note": None}


def written(schema: Any, value: Any, *, schema_id: int | None = None) -> bytes:
    out = io.BytesIO()
    schemaless_writer(out, parse_schema(schema), value)
    return (b"" if schema_id is None else b"\x00" + schema_id.to_bytes(4, "big")) + out.getvalue()


def records(spark: SparkSession, *values: bytes | None) -> DataFrame:
    return spark.createDataFrame([(n, v) for n, v in enumerate(values)], "n INT, value BINARY")


def test_bare_avro_of_one_schema(spark: SparkSession) -> None:
    good, bad = split(decode_avro(records(spark, written(ORDER, an_order(7)), b"\x02", None), ORDER))
    first, tombstone = good.orderBy("n").collect()
    assert (first.data.id, first.data.price, first.data.kind, first.data.tags) == (7, Decimal("12.34"), "NEW", ["a"])
    assert tombstone.data is None
    assert good.selectExpr("unix_millis(data.at)").first()[0] == int(AT.timestamp() * 1000)  # type: ignore[index]
    assert bad.collect()[0].error.startswith("not Avro of its schema")


def test_left_over_bytes_are_not_swallowed(spark: SparkSession) -> None:
    _, bad = split(decode_avro(records(spark, written(ORDER, an_order(1)) + b"xyz"), ORDER))
    assert bad.collect()[0].error == "not Avro of its schema: 3 bytes too many"


def test_each_record_is_read_by_the_schema_its_id_names(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "1.avsc").write_text(json.dumps(ORDER))
    (tmp_path / "2.avsc").write_text(json.dumps(WIDER))
    values = (
        written(ORDER, an_order(1), schema_id=1),
        written(WIDER, {**an_order(2), "extra": 9}, schema_id=2),
        written(ORDER, an_order(3), schema_id=3),
        written(ORDER, an_order(4)),
    )
    decoded = decode_avro(records(spark, *values), WIDER, schemas=SchemaFolder(str(tmp_path)))
    rows = decoded.orderBy("n").collect()
    assert [row.data and (row.data.id, row.data.extra) for row in rows] == [(1, 5), (2, 9), None, None]
    assert rows[2].error == "schema 3 is not in the schema folder"
    assert "registry's prefix" in rows[3].error


def test_a_value_too_large_for_its_column_costs_its_own_row_only(spark: SparkSession) -> None:
    long = {"type": "record", "name": "N", "fields": [{"name": "n", "type": "long"}]}
    columns = spark_type({"type": "record", "name": "N", "fields": [{"name": "n", "type": "int"}]})
    values = records(spark, written(long, {"n": 1}), written(long, {"n": 2**40}))
    rows = decode_avro(values, long, columns=columns).orderBy("n").collect()
    assert rows[0].data.n == 1 and rows[0].error is None
    assert rows[1].data is None and rows[1].error.startswith("does not fit the columns")


def test_a_field_in_another_case_than_the_readers_is_no_default_in_silence(spark: SparkSession, tmp_path: Path) -> None:
    def version(**fields: Any) -> dict[str, Any]:
        return {"type": "record", "name": "R", "fields": [{"name": name, **kind} for name, kind in fields.items()]}

    some: dict[str, Any] = {"type": ["null", "string"], "default": None}
    place: dict[str, Any] = {"type": {**version(City=some), "name": "Place"}}
    odd: dict[str, Any] = {"type": ["int", "string"]}  # no column could hold it, and the reader does not ask for it
    writers = [
        version(id=some, note=some), version(ID=some), version(id=some, at=place), version(id=some, other=some),
        version(ID=some, odd=odd),
    ]  # fmt: skip
    for number, schema in enumerate(writers):
        (tmp_path / f"{number}.avsc").write_text(json.dumps(schema))
    values = (
        {"id": "a", "note": "n"}, {"ID": "b"}, {"id": "c", "at": {"City": "Bern"}}, {"id": "d", "other": "o"},
        {"ID": "e", "odd": 5},
    )  # fmt: skip
    raw = records(spark, *(written(writers[n], value, schema_id=n) for n, value in enumerate(values)))

    def read(**alias: Any) -> list[Any]:
        at = {"type": ["null", {**version(city={**some, **alias}), "name": "Place"}], "default": None}
        reader = version(id={**some, **({"aliases": ["ID"]} if alias else {})}, at=at)
        rows = decode_avro(raw, reader, schemas=SchemaFolder(str(tmp_path))).orderBy("n").collect()
        return [row.error or row.data.id for row in rows]

    strange = "ID is a column but for its case"
    assert read() == ["a", strange, "at.City is a column but for its case", "d", strange]
    assert read(aliases=["City"]) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ("long", "only records"),
        ({"type": "record", "name": "R", "fields": [{"name": "f", "type": ["int", "string"]}]}, "union"),
        ({"type": "record", "name": "R", "fields": [{"name": "f", "type": ["null", "R"]}]}, "contains itself"),
        ({"type": "record", "name": "R", "fields": [{"name": "f", "type": "Q"}]}, "does not define"),
    ],
)
def test_schemas_without_columns_are_refused_by_name(schema: Any, what: str) -> None:
    with pytest.raises(NoColumnType, match=what):
        spark_type(schema)


class _Registry(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path == "/schemas/ids/7"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write(json.dumps({"schema": json.dumps(ORDER)} if known else {"error_code": 40403}).encode())

    def log_message(self, *_: object) -> None:
        pass


def test_a_registry_is_asked_over_http() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Registry) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        registry = SchemaRegistry(f"http://127.0.0.1:{server.server_port}/")
        assert registry.schema(7) == ORDER
        with pytest.raises(SchemaUnknown, match="8"):
            registry.schema(8)
        server.shutdown()
        thread.join()
    with pytest.raises(SchemasUnreachable):
        registry.schema(7)


VALUES = st.lists(
    st.fixed_dictionaries(
        {"a": st.integers(-(2**63), 2**63 - 1), "b": st.none() | st.text(max_size=6), "c": st.binary(max_size=6)}
    ),
    max_size=6,
)
PLAIN = {"type": "record", "name": "P", "fields": [
    {"name": "a", "type": "long"}, {"name": "b", "type": ["null", "string"]}, {"name": "c", "type": "bytes"},
]}  # fmt: skip


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(values=VALUES, junk=st.lists(st.binary(max_size=10), max_size=3))
def test_what_was_written_is_read_back_and_junk_loses_no_row(
    spark: SparkSession, values: list[dict[str, Any]], junk: list[bytes]
) -> None:
    raw = [*(written(PLAIN, value) for value in values), *junk]
    rows = decode_avro(records(spark, *raw), PLAIN).orderBy("n").collect()
    assert len(rows) == len(raw)
    assert [row.data.asDict() for row in rows[: len(values)]] == values
    assert all((row.data is None) != (row.error is None) for row in rows)
