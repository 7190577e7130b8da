"""Real topics and a real table against each other, as a report, as a page and as an exit code."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.pipelines.conftest import QUEUE_SETTINGS
from tests.pipelines.jobs.topics import Sent, fill
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support import topics
from tests.support.kafka import free_ports
from tests.support.losing import LosingProxy, Lost

import penstock.testing
from penstock.cli.program import run
from penstock.pipelines.jobs.audit import AuditOptions, End, audit, plan
from penstock.pipelines.jobs.audit import run as compare
from penstock.pipelines.jobs.audit.page import page
from penstock.pipelines.problems import PipelineProblem

FETCH = 1


@pytest.fixture
def lake(spark: Any, tmp_path: Path) -> Lake:
    return Lake(spark, tmp_path / "warehouse")


def test_a_topic_and_its_copy_with_damage(
    spark: Any, queue: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = (topics.create(queue.bootstrap, queue.fresh(name), 2) for name in ("left", "right"))
    for key in (b"a", b"b"):
        values = [b"%s%d" % (key, n) for n in range(20)]
        topics.write(queue.bootstrap, left, values, partition=0, key=key)
        damaged = [*values[:5], values[6], values[5], *values[8:], values[3], b"foreign"]
        topics.write(queue.bootstrap, right, damaged, partition=0 if key == b"a" else 1, key=key)
    ends = [f"topic:{name}@{queue.bootstrap}" for name in (left, right)]
    report = audit(*ends, bootstrap="127.0.0.1:1", spark=spark)
    assert not report.same
    assert report.totals == {"missing": 2, "extra": 2, "doubled": 2, "differing": 0, "reordered": 2}
    assert (report.left_records, report.right_records) == (40, 42)
    html = page(report)
    assert html.count("<svg") == 2 and "The two ends differ" in html
    assert not re.search(r"(src|href)=|https?://|<script", html)
    assert json.loads(json.dumps(report.to_json()))["totals"]["missing"] == 2
    monkeypatch.chdir(tmp_path)
    files = ["--report", "report.json", "--page", "page.html", "--metrics-file", "audit.prom"]
    assert run(["pipeline", "run", "audit", *ends, *files]) == 1
    assert run(["pipeline", "run", "audit", ends[0], ends[0]]) == 0
    assert run(["pipeline", "run", "audit", ends[0], "table:no.where", "--dry-run"]) == 4
    assert json.loads(Path("report.json").read_text())["totals"] == report.totals and Path("page.html").exists()
    assert 'penstock_pipeline_rows_total{job="audit",query="audit"} 82.0' in Path("audit.prom").read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["audit.prom", "page.html", "report.json"], "no catalog"


@pytest.mark.parametrize("reader", ["kafka", "penstock"])
def test_two_clusters_that_have_a_topic_of_one_name_are_told_apart(spark: Any, queue: Any, reader: str) -> None:
    topic = topics.create(queue.bootstrap, queue.fresh("orders"), 2)
    orders = [(b"%d" % n, f"order {n}") for n in range(30)]

    def write(bootstrap: str, records: Sequence[tuple[bytes, str]]) -> None:
        sent = [
            Sent(None, value, headers=(("number", number),), partition=int(number) % 2) for number, value in records
        ]
        fill(bootstrap, topic, sent)

    with penstock.testing.broker(QUEUE_SETTINGS, mode="process") as other:
        topics.create(other.bootstrap, topic, 2)
        write(queue.bootstrap, orders)
        changed = [(number, "another" if number == b"7" else value) for number, value in orders if number != b"4"]
        write(other.bootstrap, [*changed, orders[10], (b"30", "nobody's")])
        ends = [f"topic:{topic}@{each}" for each in (queue.bootstrap, other.bootstrap)]
        options: dict[str, Any] = {"match": "header:number", "spark": spark, "reader": reader}
        there, back = audit(*ends, **options), audit(*reversed(ends), **options)
        same = [audit(end, end, **options).same for end in ends]
    assert same == [True, True]
    assert (there.left_records, there.right_records) == (30, 31)
    assert there.totals == {"missing": 1, "extra": 1, "doubled": 1, "differing": 1, "reordered": 0}
    (missing,), (differing,) = there.samples["missing"], there.samples["differing"]
    assert (missing["left_partition"], missing["left_offset"]) == (0, 2)
    assert (differing["left_partition"], differing["left_offset"]) == (1, 3)
    assert (back.totals["missing"], back.totals["extra"], back.totals["differing"]) == (2, 1, 1)


def test_a_topic_and_its_lake_table_are_the_same_until_a_row_goes(lake: Lake, queue: Any) -> None:
    topic = Topic(queue.bootstrap, queue.fresh("orders"))
    topic.write([{"id": n} for n in range(30)])
    lake.fill(topic, keep_value=True)

    def compared() -> Any:
        return audit(
            f"topic:{topic.name}",
            "table:shop.orders",
            bootstrap=topic.bootstrap,
            spark=lake.spark,
            catalog=lake.catalog,
            warehouse=str(lake.folder),
        )

    report = compared()
    assert report.same and report.contents_compared and report.right_records == 30
    lake.spark.sql(f"DELETE FROM {lake.catalog}.shop.orders WHERE record_partition = 1 AND record_offset = 3")
    report = compared()
    assert report.totals["missing"] == 1 and not report.same
    (sample,) = report.samples["missing"]
    assert (sample["left_partition"], sample["left_offset"]) == (1, 3)


async def test_ctrl_c_ends_an_audit_at_once_leaving_nothing_and_the_next_one_compares_all(
    spark: Any, tmp_path: Path
) -> None:
    advertised, port = free_ports(2)
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{advertised}",
    }
    bootstrap = f"127.0.0.1:{advertised}"
    with penstock.testing.broker(settings, mode="process"):
        async with LosingProxy(advertised, to=port) as proxy:
            for name in ("left", "right"):
                await asyncio.to_thread(topics.create, bootstrap, name)
                await asyncio.to_thread(topics.write, bootstrap, name, [b"1", b"2"])
            proxy.lose(FETCH, Lost.REQUEST)  # in the middle of reading, for as long as it takes
            words = ["-m", "penstock.cli", "pipeline", "run", "audit", "topic:left", "topic:right", "-b", bootstrap]
            begun = await asyncio.create_subprocess_exec(
                sys.executable, *words, "--master", "local[1]", "--report", "report.json",
                cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            await asyncio.wait_for(proxy.has_lost.wait(), 400)
            begun.send_signal(signal.SIGINT)
            out, err = await asyncio.wait_for(begun.communicate(), 400)
            assert (begun.returncode, out) == (130, b"") and b"Traceback" not in err, err
            assert list(tmp_path.iterdir()) == []
            proxy.restore()
            report = await asyncio.to_thread(audit, "topic:left", "topic:right", bootstrap=bootstrap, spark=spark)
    assert report.same and report.left_records == 2


def test_a_missing_topic_or_table_is_said(spark: Any, penstock_queue: Any, tmp_path: Path) -> None:
    bootstrap = penstock_queue.bootstrap
    with pytest.raises(PipelineProblem, match="no topic nothing"):
        audit("topic:nothing", "topic:nothing2", bootstrap=bootstrap, spark=spark, warehouse=str(tmp_path))
    there = topics.create(bootstrap, penstock_queue.fresh("there"))
    with pytest.raises(PipelineProblem, match=r"no table no\.table"):
        audit(f"topic:{there}", "table:no.table", bootstrap=bootstrap, spark=spark, warehouse=str(tmp_path))
    with pytest.raises(PipelineProblem, match="is no end"):
        audit("orders", "table:x", bootstrap=bootstrap, spark=spark)


def test_a_dry_run_refuses_a_table_that_the_run_would_refuse(lake: Lake, penstock_queue: Any) -> None:
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"))
    topic.write([{"id": 1}])
    lake.fill(topic)
    lake.spark.sql(f"CREATE TABLE {lake.catalog}.shop.others (id INT) USING iceberg")
    for table, words in {
        "shop.nothing": r"no table shop\.nothing",
        "shop.others": "no lake table: it has no column record_topic",
        "shop.orders": r"table:shop\.orders does not keep values",
    }.items():
        options = AuditOptions(
            left=End.parse(f"topic:{topic.name}", bootstrap=topic.bootstrap), right=End("table", table),
            match="content", catalog=lake.catalog, warehouse=str(lake.folder),
        )  # fmt: skip
        for asked in (plan, lambda options, spark: compare(options, spark=spark)):
            with pytest.raises(PipelineProblem, match=words):
                asked(options, lake.spark)
