"""A million records of 1 KB by the command as people type it, with the memory that it gives Spark itself. Minutes: not
part of `make pipelines` but of `make pipelines-kills`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import PATIENT
from tests.support.topics import create

from penstock.pipelines.kafka_names import Producer

RECORDS = int(os.environ.get("PENSTOCK_TESTS_LARGE_RECORDS", "1000000"))
FILLER = ["".join(chr(33 + (n * 7 + at * at) % 90) for at in range(900)) for n in range(97)]


def fill(bootstrap: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20, "queue.buffering.max.kbytes": 200_000})
    failed: list[object] = []
    for n in range(RECORDS):
        value = json.dumps({"id": n, "price": n / 4, "who": {"name": f"u{n % 999}"}, "note": FILLER[n % 97]}).encode()
        while True:
            try:
                producer.produce(
                    topic, value, partition=n % 4, on_delivery=lambda error, _: failed.append(error) if error else None
                )
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    assert producer.flush(300) == 0 and not failed, failed[:3]


@pytest.mark.timeout(1_800)
def test_a_million_json_records_of_a_kilobyte_land_at_the_defaults(penstock_queue: Any, tmp_path: Path) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("large"), 4)
    fill(penstock_queue.bootstrap, topic)
    words = ["pipeline", "run", "lake", topic, "--table", "shop.large", "--available-now", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "penstock.cli", *words, "--bootstrap", penstock_queue.bootstrap, *PATIENT],
        cwd=tmp_path, env={name: value for name, value in os.environ.items() if name != "JDK_JAVA_OPTIONS"},
        capture_output=True, text=True, check=False, timeout=1_500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4_000:]
    summary = json.loads(done.stdout)
    assert (summary["rows_in"], summary["rows_out"], summary["bad_rows"]) == (RECORDS, RECORDS, 0)
    assert summary["batches"] >= RECORDS * 1_000 // (256 * 1024 * 1024), "batches are cut by bytes"
