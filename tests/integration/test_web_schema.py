"""schemathesis against a real broker, with names of topics and groups that exist: no 5xx, and answers as documented."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx
from tests.support.faults import eventually
from tests.support.web import web

import penstock.testing

CONFIG = """
[parameters]
"path.topic" = "fuzzed"
"path.topic_name" = "fuzzed"
"path.group" = "fuzzers"
"path.group_id" = "fuzzers"
"path.cluster_id" = "{cluster}"
"path.partition_id" = 0
"path.broker_id" = 1

# A stream has no end.
[[operations]]
include-name = "GET /v1/topics/{{topic}}/events"
enabled = false

# They would make as many partitions as a number can say.
[[operations]]
include-name = [
  "POST /v1/topics", "PATCH /v1/topics/{{topic}}",
  "POST /v3/clusters/{{cluster_id}}/topics", "PATCH /v3/clusters/{{cluster_id}}/topics/{{topic_name}}",
]
enabled = false

# They take away what the others ask for.
[[operations]]
include-method = "DELETE"
enabled = false
"""
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    with (
        penstock.testing.broker({"node.id": "1"}) as broker,
        web(broker.bootstrap, "--limit", "wait-ms-max=20") as running,
    ):
        assert httpx.post(f"{running.url}/v1/topics", json={"name": "fuzzed", "partitions": 2}).status_code == 201
        eventually(lambda: httpx.get(f"{running.url}/v1/topics/fuzzed").status_code == 200, "it is known")
        offsets = {"offsets": [{"topic": "fuzzed", "partition": 0, "offset": 0}]}
        assert httpx.post(f"{running.url}/v1/groups/fuzzers/offsets", json=offsets).status_code == 200
        cluster = httpx.get(f"{running.url}/v3/clusters").json()["data"][0]["cluster_id"]
        config = tmp_path / "schemathesis.toml"
        config.write_text(CONFIG.format(cluster=cluster))
        done = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"), "--config-file", config, "run",
                f"{running.url}/openapi.json", "--phases", "examples,coverage,fuzzing", "--max-examples", "5",
                "--checks", CHECKS, "--seed", "1",
                "--suppress-health-check", "all", "--request-timeout", "120", "--warnings", "off",
            ],
            capture_output=True, text=True, timeout=500, check=False, cwd=tmp_path,
        )  # fmt: skip
        page = httpx.get(f"{running.url}/docs")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    tested = re.search(r"Tested: (\d+)", done.stdout)
    assert tested and int(tested[1]) >= 35, done.stdout
    assert "/v1/topics/{topic}/records" in page.text and "default-src 'none'" in page.headers["content-security-policy"]
