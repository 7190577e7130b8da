"""What the pages say can be typed from top to bottom."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
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


def test_the_sources_page_runs(penstock_queue: Queue, tmp_path: Path) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("orders"))
    write(penstock_queue.bootstrap, topic, [b"tea", b"cake"], key=b"ada")
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "source.md").read_text(), flags=re.DOTALL)
    program = "\n".join(blocks).replace("127.0.0.1:9092", penstock_queue.bootstrap).replace('"orders"', f'"{topic}"')
    program += '\nprint("rows", spark.read.parquet("nightly/rows").count())\nspark.stop()\n'
    said = run([sys.executable, "-c", program], penstock_queue, tmp_path)
    assert "|cake" in said.replace(" ", "") and "rows 2" in said


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
