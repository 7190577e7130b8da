"""Addresses of other file systems: handed to Spark as they are, or refused in words, never taken for a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.pipelines.jobs.catalogs import catalog_settings, is_unmade, prepare_folder
from penstock.pipelines.jobs.lake import LakeOptions
from penstock.pipelines.jobs.lake.decoding import decoding
from penstock.pipelines.jobs.rollup import RollupOptions
from penstock.pipelines.paths import absolute, is_address, local_path
from penstock.pipelines.problems import PipelineProblem

FOREIGN = ["s3://bucket/lake", "s3a://bucket/lake", "hdfs://name:8020/lake", "abfss://c@a.example/lake", "s3:/bucket"]


def options(**given: Any) -> LakeOptions:
    return LakeOptions(bootstrap="h:1", topics=("orders",), table="shop.orders", **given)


@pytest.mark.parametrize("place", FOREIGN)
def test_the_embedded_catalog_is_not_made_at_an_address(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for asked in (catalog_settings, prepare_folder, is_unmade):
        with pytest.raises(PipelineProblem, match=f"cannot be at {place}\n.*--catalog-uri"):
            asked(options(warehouse=place))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [*FOREIGN, "prod"])
def test_another_catalog_gets_the_warehouse_as_it_is(place: str) -> None:
    found = catalog_settings(options(warehouse=place, catalog_uri="http://catalog:8181"))
    assert found["spark.sql.catalog.lake.warehouse"] == place
    key = "spark.sql.catalog.mine"
    theirs = {key: "org.apache.iceberg.spark.SparkCatalog", f"{key}.type": "hive", f"{key}.warehouse": place}
    assert theirs.items() <= catalog_settings(options(catalog="mine", settings=theirs)).items()
    assert "spark.sql.catalog.lake.warehouse" not in catalog_settings(options(catalog_uri="http://catalog:8181"))


def test_an_address_of_this_machine_is_its_folder(tmp_path: Path) -> None:
    for place in (f"file://{tmp_path}/a%20lake", f"file:{tmp_path}/a%20lake", f"{tmp_path}/a lake"):
        assert not is_address(place)
        assert local_path(place, what="it") == tmp_path / "a lake"
        assert catalog_settings(options(warehouse=place))["spark.sql.catalog.lake.warehouse"] == f"{tmp_path}/a lake"


def test_a_checkpoint_is_where_it_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def folder(**given: Any) -> str:
        return RollupOptions(
            bootstrap="h:1", topic="t", table="a.b", schema="n INT", window="1 minute", **given
        ).checkpoint_folder

    monkeypatch.chdir(tmp_path)
    assert folder(checkpoint="s3://bucket/windows") == absolute("s3://bucket/windows") == "s3://bucket/windows"
    assert folder(checkpoint="windows") == f"{tmp_path}/windows"
    assert folder(warehouse="hdfs://name/lake") == "hdfs://name/lake/checkpoints/rollup.a.b"
    assert folder(warehouse="lake") == f"{tmp_path}/lake/checkpoints/rollup.a.b"


def test_a_folder_of_schemas_is_not_at_an_address() -> None:
    with pytest.raises(PipelineProblem, match="a folder of schemas is on this machine"):
        decoding(options(mode="avro", registry="s3://bucket/schemas"))


@pytest.mark.parametrize(
    "words",
    [
        ["run", "lake", "orders", "--table", "shop.orders", "--metrics-file", "s3://bucket/lake.prom"],
        ["run", "audit", "topic:a", "topic:b", "--report", "s3://bucket/report.json"],
        ["run", "audit", "topic:a", "topic:b", "--page", "s3://bucket/page.html"],
        ["init", "s3://bucket/project"],
    ],
    ids=lambda words: words[-2],
)
def test_files_are_written_on_this_machine(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["pipeline", *words]) == ExitCode.USAGE
    assert "is an address" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
