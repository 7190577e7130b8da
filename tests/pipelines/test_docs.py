"""What the pages say can be typed from top to bottom."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.pipelines.conftest import Queue
from tests.support.topics import create, write

import penstock.testing

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "pipelines"


def run(command: list[str], queue: Queue, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=800, check=False, cwd=folder,
        env=os.environ | {"PATH": path, "PENSTOCK_BOOTSTRAP": queue.bootstrap},
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


PAGES = (
    "source", "decoding", "sink", "lake", "rollup", "dedupe", "audit", "repartition", "replay", "redrive",
)  # fmt: skip


def test_what_the_pages_print_for_python_runs(
    spark: SparkSession, penstock_queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one Spark, page after page: audit compares what lake has landed."""
    at = penstock_queue.bootstrap
    for topic in ("orders", "orders-copy", "orders-test", "orders.dead", "sales", "payments"):
        create(at, topic, 2)
    write(at, "orders", [b'{"id": %d, "amount": 2.5}' % number for number in range(20)], key=b"ada")
    write(at, "sales", [b'{"shop": "one", "amount": 2.5}'])
    write(at, "payments", [b'{"payment_id": %d}' % (number % 3) for number in range(5)])
    reasons: list[tuple[str, bytes]] = [("penstock.error", b"Timeout"), ("penstock.origin.topic", b"orders")]
    write(at, "orders.dead", [b"5 EURO"], headers=reasons)
    monkeypatch.chdir(tmp_path)
    # With catalogs of its own: a session keeps what it was first told of one.
    session = spark.newSession()
    monkeypatch.setattr(SparkSession, "_instantiatedSession", session)
    found = {page: _ran(page, at, session, tmp_path) for page in PAGES}
    assert session.read.parquet(f"{tmp_path}/nightly/rows").count() == found["decoding"]["good"].count() == 20
    assert (session.table("lake.shop.orders").count(), session.table("lake.shop.payments").count()) == (20, 3)
    assert found["repartition"]["summary"].rows_out == 20
    counts = {topic: _count(session, at, topic) for topic in ("orders-copy", "orders-test", "orders")}
    assert counts == {"orders-copy": 4, "orders-test": 20, "orders": 21}
    mended = session.read.format("penstock").options(bootstrap=at, topics="orders").load()
    assert mended.where("value = '5 EUR'").count() == 1


def _ran(page: str, bootstrap: str, spark: SparkSession, folder: Path) -> dict[str, Any]:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(), flags=re.DOTALL)
    assert blocks, f"{page}.md prints nothing for Python"
    names: dict[str, Any] = {}
    program = "\n".join(blocks).replace("127.0.0.1:9092", bootstrap)
    for relative in ("nightly/", "checkpoints/"):  # to Java, which was started elsewhere, that is another folder
        program = program.replace(f'"{relative}', f'"{folder}/{relative}')
    exec(compile(program, f"{page}.md", "exec"), names)
    for query in spark.streams.active:  # as its reader would, sooner or later
        query.processAllAvailable()
        query.stop()
    return names


def _count(spark: SparkSession, bootstrap: str, topic: str) -> int:
    return spark.read.format("penstock").options(bootstrap=bootstrap, topics=topic).load().count()


@pytest.mark.timeout(900)  # four Sparks one after another, which a busy machine makes slow
def test_the_tutorial_can_be_typed_from_top_to_bottom(tmp_path: Path) -> None:
    page = (DOCS / "README.md").read_text()
    with penstock.testing.broker(mode="process") as broker:
        queue = Queue("penstock", broker.bootstrap)
        commands = "\n".join(re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL))
        said = run(["bash", "-e", "-o", "pipefail", "-c", commands], queue, tmp_path)
        assert "lake: done. 21 rows in, 20 out, 1 bad" in said
        (program,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
        shown = page.split("```\n+", 1)[1].split("```", 1)[0]
        said = run([sys.executable, "-c", program.replace("127.0.0.1:9092", broker.bootstrap)], queue, tmp_path)
        assert f"+{shown}" in said and "RECORD 0" in said
