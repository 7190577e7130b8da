"""Entries of two ends against each other: each kind of difference is found, counted and placed, and no other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock.pipelines.jobs.audit.comparing import KINDS, compare, samples, totals
from penstock.pipelines.jobs.audit.entries import entries

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "partition INT, offset BIGINT, time TIMESTAMP, id STRING, lane STRING, digest STRING"
RECORDS = (
    "key BINARY, value BINARY, partition INT, offset BIGINT, timestamp TIMESTAMP, "
    "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
)
AT = datetime(2026, 1, 1, tzinfo=UTC)

Entry = tuple[int, int, str, str | None]
"""Partition, offset, id, digest; the lane is the partition."""


def side(spark: SparkSession, found: Sequence[Entry]) -> DataFrame:
    rows = [(partition, at, AT, id_, str(partition), digest) for partition, at, id_, digest in found]
    return spark.createDataFrame(rows, COLUMNS)


def counts(compared: DataFrame) -> dict[str, int]:
    row = compared.selectExpr(*(f"coalesce(sum({kind}), 0) AS {kind}" for kind in KINDS)).first()
    assert row is not None
    return {kind: int(row[kind]) for kind in KINDS}


def test_each_kind_of_difference_is_told_from_the_others(spark: SparkSession) -> None:
    left: list[Entry] = [(0, n, id_, "d") for n, id_ in enumerate("abcdefgh")]
    right: list[Entry] = [
        (0, 0, "a", "d"), (0, 1, "c", "d"), (0, 2, "b", "d"),  # b after c
        (0, 3, "d", "other"), (0, 4, "e", "d"), (0, 5, "e", "d"), (0, 6, "f", "d"),
        (0, 7, "new", "d"), (0, 8, "h", None),
    ]  # fmt: skip
    compared = compare(side(spark, left), side(spark, right)).cache()
    assert counts(compared) == {"missing": 1, "extra": 1, "doubled": 1, "differing": 1, "reordered": 1}
    found = {kind: [row.id for row in samples(compared, kind, 5).collect()] for kind in KINDS}
    # c came after b on the left and is before it on the right.
    assert found == {"missing": ["g"], "extra": ["new"], "doubled": ["e"], "differing": ["d"], "reordered": ["c"]}
    (total,) = totals(compared, bucket_s=60).collect()
    assert (total.partition, total.bucket, total.left, total.right) == (0, int(AT.timestamp()), 8, 9)


def test_contents_of_one_id_are_held_against_each_other_as_often_as_they_are_there(spark: SparkSession) -> None:
    left: list[Entry] = [(0, n, "key", digest) for n, digest in enumerate("aab")]
    right: list[Entry] = [(0, n, "key", digest) for n, digest in enumerate("abb")]
    none = dict.fromkeys(KINDS, 0)
    assert counts(compare(side(spark, left), side(spark, right))) == none | {"differing": 1}
    assert counts(compare(side(spark, left), side(spark, left[::-1]))) == none
    assert counts(compare(side(spark, left), side(spark, left[1:]))) == none | {"missing": 1}


def test_random_damage_is_counted_as_python_counts_it(spark: SparkSession) -> None:
    dice = random.Random(7)
    left = [(n % 3, n // 3, f"id{n}", f"d{n}") for n in range(300)]
    right = [each for each in left if dice.random() > 0.1]
    right += [(p, at + 1000, id_, d) for p, at, id_, d in dice.sample(right, 20)]
    right += [(0, 5000 + n, f"new{n}", "d") for n in range(7)]
    changed = {id_ for _, _, id_, _ in dice.sample(right, 10)}
    right = [(p, at, id_, "changed" if id_ in changed else d) for p, at, id_, d in right]
    on_left, on_right = Counter(each[2] for each in left), Counter(each[2] for each in right)
    assert counts(compare(side(spark, left), side(spark, right))) == {
        "missing": sum((on_left - on_right).values()),
        "extra": sum(count for id_, count in on_right.items() if id_ not in on_left),
        "doubled": sum(max(count - on_left[id_], 0) for id_, count in on_right.items() if id_ in on_left),
        "differing": len(changed & set(on_left)),
        "reordered": 0,
    }


def test_contents_that_only_look_alike_have_other_digests(spark: SparkSession) -> None:
    contents: list[tuple[Any, ...]] = [
        (b"ab", b"c", None), (b"a", b"bc", None), (None, b"abc", None), (b"", b"abc", None), (b"abc", None, None),
        (b"a", b"b", [("h", b"c")]), (b"a", b"b", [("hc", b"")]), (b"a", b"b", [("hc", None)]), (b"a", b"b", None),
    ]  # fmt: skip
    rows = [(key, value, 0, n, AT, headers) for n, (key, value, headers) in enumerate(contents)]
    made = entries(spark.createDataFrame(rows, RECORDS), matching="content", ordering="key")
    assert made.select("id").distinct().count() == len(contents)


def test_records_are_known_by_header_or_field(spark: SparkSession) -> None:
    rows = [(b"k", b'{"id": "x1"}', 0, 0, AT, [("id", b"x2"), ("other", b"y")]), (None, b"{}", 0, 1, AT, None)]
    records = spark.createDataFrame(rows, RECORDS)
    assert [row.id for row in entries(records, matching="field:id", ordering="none").collect()] == ["x1", "\0null"]
    by_header = [row.id for row in entries(records, matching="header:id", ordering="none").collect()]
    assert by_header == [b"x2".hex().upper(), "\0null"]
