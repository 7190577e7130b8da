"""The page on the schema registry: its commands and its program, as they stand; and who may do what."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.pages import DOCS, programs
from tests.support.ruled import PASSWORD, ruled_broker
from tests.support.web import web

from penstock.access.rights import Operation, ResourceKind
from penstock.client import Client, Sasl
from penstock.wire.messages.create_acls_request import AclCreation

PAGE = "operate/schema-registry.md"
LITERAL, ALLOW = 3, 3


def test_the_commands_and_the_program_of_the_page_do_what_it_says(bootstrap: str, tmp_path: Path) -> None:
    curls = re.findall(r"^curl .*$", (DOCS / PAGE).read_text(), re.MULTILINE)
    with web(bootstrap) as running:

        def here(text: str) -> str:
            return text.replace("http://127.0.0.1:8080", running.url).replace("127.0.0.1:9092", bootstrap)

        answers = [
            json.loads(subprocess.run(here(each), shell=True, check=True, capture_output=True, timeout=120).stdout)
            for each in curls
        ]
        assert [set(each) for each in answers] == [
            {"id"}, {"subject", "version", "id", "schema"}, {"compatibility"}, {"is_compatible", "messages"},
        ]  # fmt: skip
        assert answers[0]["id"] == answers[1]["id"] and not answers[3]["is_compatible"]
        path = tmp_path / "program.py"
        path.write_text(here(programs(PAGE)["Write and read records"]))
        done = subprocess.run([sys.executable, str(path)], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == "{'id': 7}\n"


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[str]:
    with ruled_broker(tmp_path, "nobody", "reader", "writer") as (port, _):
        yield f"127.0.0.1:{port}"


def rules_of_the_page() -> list[AclCreation]:
    kinds = {"topic": ResourceKind.TOPIC, "transactional-id": ResourceKind.TRANSACTIONAL_ID}
    found = re.findall(r"penstock acl add (\w+) --operation (\S+) --([a-z-]+) (\S+)", (DOCS / PAGE).read_text())
    return [
        AclCreation(kinds[kind], name, LITERAL, f"User:{user}", "*", Operation[operation.upper()], ALLOW)
        for user, operations, kind, name in found
        for operation in operations.split(",")
    ]


def test_the_clusters_rules_say_who_may_do_what(secured: str) -> None:
    rules = rules_of_the_page()
    assert len(rules) == 5
    with Client(secured, timeout_s=60, sasl=Sasl("root", PASSWORD, "PLAIN")) as client:
        client.create_acls(rules).all()
    options = ("--config", "security.protocol=SASL_PLAINTEXT", "--config", "sasl.mechanism=PLAIN")
    with web(secured, *options) as running, httpx.Client(base_url=f"{running.url}/registry", timeout=120) as http:
        asking = http.request
        new = {"schema": '"int"'}
        assert asking("GET", "/subjects").status_code == 401
        assert asking("GET", "/subjects", auth=("reader", "wrong")).status_code == 401
        writer, reader, nobody = (("writer", PASSWORD), ("reader", PASSWORD), ("nobody", PASSWORD))
        assert asking("POST", "/subjects/s/versions", json=new, auth=reader).status_code == 403
        assert asking("POST", "/subjects/s/versions", json=new, auth=writer).json() == {"id": 1}
        assert asking("GET", "/schemas/ids/1", auth=reader).json() == new
        assert asking("POST", "/subjects/s", json=new, auth=reader).json()["version"] == 1
        for method, path, body in (
            ("POST", "/subjects/t/versions", {"schema": '"long"'}), ("DELETE", "/subjects/s", None),
            ("PUT", "/config", {"compatibility": "NONE"}), ("PUT", "/mode", {"mode": "READONLY"}),
        ):  # fmt: skip
            assert asking(method, path, json=body, auth=reader).status_code == 403, path
            assert asking(method, path, json=body, auth=nobody).status_code == 403, path
        for path in ("/subjects", "/schemas/ids/1", "/config", "/mode/s", "/contexts", "/schemas/types"):
            refused = asking("GET", path, auth=nobody)
            assert refused.status_code == 403 and refused.json()["error_code"] == 403, path
        assert asking("GET", "/subjects/s/versions", auth=writer).json() == [1], "nothing of it was written"
