"""JSON decoding: what fits becomes columns, what does not becomes a bad row with its reason, and nothing vanishes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.pipelines.decode import as_struct, decode_json, decode_json_spelled, decode_raw, infer_json_schema, split

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id BIGINT, amount DOUBLE, who STRUCT<name: STRING>"


def records(spark: SparkSession, *values: bytes | None) -> DataFrame:
    return spark.createDataFrame([(n, v) for n, v in enumerate(values)], "n INT, value BINARY")


def errors(decoded: DataFrame) -> list[str | None]:
    return [row.error for row in decoded.orderBy("n").collect()]


def test_a_value_that_fits_becomes_columns(spark: SparkSession) -> None:
    decoded = decode_json(records(spark, b'{"id": 7, "amount": 1.5, "who": {"name": "Ada"}, "more": 1}'), SCHEMA)
    good, bad = split(decoded)
    assert good.select("data.*").collect() == [(7, 1.5, ("Ada",))]
    assert bad.count() == 0


def test_each_bad_value_says_why(spark: SparkSession) -> None:
    values = (
        b"{",
        b"\xff\xfe{}",
        b'"text"',
        b'[{"id": 1}]',
        b'{"id": "seven"}',
        b'{"id": 99999999999999999999}',
        b'{"who": {"name": {"first": 1}}, "id": 1, "amount": "x"}',
        b'{"id": 1} {"id": 2}',
        b"",
    )
    assert errors(decode_json(records(spark, *values), SCHEMA)) == [
        "not JSON",
        "not UTF-8",
        "not a JSON object",
        "not a JSON object",
        "does not fit the schema: id is no BIGINT",
        "does not fit the schema: id is no BIGINT",
        "does not fit the schema: amount is no DOUBLE",
        "something follows the JSON object",
        "not a JSON object",
    ]


def test_a_text_with_braces_is_one_document(spark: SparkSession) -> None:
    value = json.dumps({"id": 1, "who": {"name": "} {"}}).encode()
    assert errors(decode_json(records(spark, value), SCHEMA)) == [None]


def test_a_schema_has_every_spelling(spark: SparkSession) -> None:
    topic = records(spark, b'{"at": {"n": 1}, "id": 1}', b'{"at": {"N": 2}, "id": 1}', b'{"At": {"n": 3}, "id": 1}')
    inner = "STRUCT<n: BIGINT, N: BIGINT>"
    assert infer_json_schema(topic) == as_struct(f"at {inner}, At {inner}, id BIGINT"), "the commonest first"


def test_a_tombstone_is_neither_good_data_nor_bad(spark: SparkSession) -> None:
    row = decode_json(records(spark, None), SCHEMA).collect()[0]
    assert row.data is None and row.error is None


def test_a_field_that_is_a_column_but_for_its_case_is_read_by_the_columns_name(spark: SparkSession) -> None:
    topic = records(
        spark, b'{"id": 1}', b'{"Id": 2}', b'{"id": 5, "ID": 6}', b'{"id": null, "at": 7}', None, b'\xff{"Id": 2}'
    )
    decoded = decode_json_spelled(topic, as_struct("id BIGINT, at BIGINT"), infer_json_schema(topic))
    assert errors(decoded) == [None, None, "id is there in two spellings", None, None, "not UTF-8"]
    found = split(decoded)[0].orderBy("n").select("data.*", "respelled").collect()
    assert [tuple(row) for row in found] == [
        (1, None, False), (2, None, True), (None, 7, False), (None, None, False),
    ]  # fmt: skip


def test_a_field_without_a_name_is_read(spark: SparkSession) -> None:
    topic = records(spark, b'{"": 5, "id": 1}')
    decoded = decode_json(topic, infer_json_schema(topic))
    assert decoded.select(decoded.data.getField("")).first() == (5,)


def test_nor_is_one_within_other_fields(spark: SparkSession) -> None:
    topic = records(
        spark,
        b'{"at": {"city": "Bern"}, "lines": [{"n": 1}, {"n": 2}]}',
        b'{"at": {"City": "Thun"}}',
        b'{"lines": [{"n": 1}, null, {"N": 2}]}',
        b'{"at": {"it\'s": 1, "IT\'S": 2}}',
        b'{"lines": []}',
    )
    columns = as_struct("at STRUCT<city: STRING, `it's`: BIGINT>, lines ARRAY<STRUCT<n: BIGINT>>")
    decoded = decode_json_spelled(topic, columns, infer_json_schema(topic))
    assert errors(decoded) == [None, None, None, "it's is there in two spellings", None]
    rows = decoded.where("respelled").orderBy("n").collect()
    assert [(row.n, row.data.at and row.data.at.city, row.data.lines) for row in rows] == [
        (1, "Thun", None), (2, None, [(1,), None, (2,)]),
    ]  # fmt: skip


def test_raw_keeps_every_byte(spark: SparkSession) -> None:
    rows = decode_raw(records(spark, b"\x00\xff", b"", None)).orderBy("n").collect()
    assert [row.data and bytes(row.data.value) for row in rows] == [b"\x00\xff", b"", None]
    assert {row.error for row in rows} == {None}


def test_inference_takes_all_fields_of_objects_only(spark: SparkSession) -> None:
    values = records(spark, b'{"a": 1}', b'{"b": {"c": "x"}, "n": null}', b"{broken", b"[1]", b'{"a": 2.5}')
    assert infer_json_schema(values).simpleString() == "struct<a:double,b:struct<c:string>>"


JSON_ROWS = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.dictionaries(
            st.sampled_from(["id", "amount", "x"]), st.one_of(st.integers(), st.floats(), st.text(max_size=5)),
            max_size=3,
        ).map(lambda each: json.dumps(each).encode()),
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(values=JSON_ROWS)
def test_every_row_is_good_or_bad_and_good_ones_read_as_python_reads_them(
    spark: SparkSession, values: list[bytes]
) -> None:
    good, bad = split(decode_json(records(spark, *values), SCHEMA))
    rows = {row.n: row.data for row in good.collect()}
    assert sorted([*rows, *(row.n for row in bad.collect())]) == list(range(len(values)))
    for n, data in rows.items():
        expected = json.loads(values[n])
        assert data.id == expected.get("id")
