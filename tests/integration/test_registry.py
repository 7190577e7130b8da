"""The registry of real web processes: killed, two at once, its topic read by hand, and what it takes over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.support.registry import ids_of, kept, record, register
from tests.support.web import web

import penstock.testing as penstock_testing
from penstock.client import AsyncClient
from penstock.registry import Asked, Plan, Registry, RegistryRefusal, plan

KINDS = {"content-type": "application/vnd.schemaregistry.v1+json"}


@pytest.fixture
def cluster() -> Iterator[str]:
    """Whose topic `_schemas` is this test's alone."""
    with penstock_testing.broker({"node.id": "1"}) as running:
        yield running.bootstrap


def test_the_topic_is_in_confluents_format(cluster: str) -> None:
    with web(cluster) as running, httpx.Client(base_url=f"{running.url}/registry", timeout=120) as http:
        http.post("/subjects/s/versions", json={"schema": '{"type": "string"}'}).raise_for_status()
        http.put("/config", json={"compatibility": "FULL"}).raise_for_status()
        http.put("/mode/s", json={"mode": "READWRITE"}).raise_for_status()
        http.delete("/subjects/s").raise_for_status()
        http.delete("/subjects/s?permanent=true").raise_for_status()
    schema = {"keytype": "SCHEMA", "subject": "s", "version": 1, "magic": 1}
    deletion = {"keytype": "DELETE_SUBJECT", "subject": "s", "magic": 0}
    mode = {"keytype": "MODE", "subject": "s", "magic": 0}
    assert kept(cluster) == [
        (schema, {"subject": "s", "version": 1, "id": 1, "schema": '"string"', "deleted": False}),
        ({"keytype": "CONFIG", "subject": None, "magic": 0}, {"subject": None, "compatibilityLevel": "FULL"}),
        (mode, {"subject": "s", "mode": "READWRITE"}),
        (deletion, {"subject": "s", "version": 1}),
        (mode, None),
        (schema, None),
        (deletion, None),
        ({"keytype": "NOOP", "magic": 0}, {"ids": {".": 1}}),
    ]


ROUNDS = 12


def test_two_processes_are_one_registry(cluster: str) -> None:
    """In each round four register at the same moment: two of them the same schema, each at another process."""
    with web(cluster) as first, web(cluster) as second:
        urls = (first.url, second.url)
        together = threading.Barrier(4)

        def work(worker: int) -> dict[str, int]:
            given = {}
            for number in range(ROUNDS):
                schema = record(("a", "int"), name=f"R{number}W{max(worker, 1)}")
                together.wait(120)
                answer = register(urls[worker % 2], f"s-{worker}-{number}", schema).raise_for_status()
                given[schema] = answer.json()["id"]
                found = httpx.get(f"{urls[(worker + 1) % 2]}/registry/schemas/ids/{given[schema]}", timeout=120)
                assert found.json() == {"schema": schema}, "what one process answered, the other one knows"
            return given

        with ThreadPoolExecutor(4) as pool:
            given = list(pool.map(work, range(4)))
        assert given[0] == given[1], "the same schema has the same id, whoever registers it"
        assert [httpx.get(f"{url}/registry/subjects", timeout=120).json() for url in urls[:1]] == [
            httpx.get(f"{url}/registry/subjects", timeout=120).json() for url in urls[1:]
        ]
    ids = ids_of(kept(cluster))
    assert sorted(number for each in ids.values() for number in each) == list(range(1, 3 * ROUNDS + 1))


def test_a_process_killed_in_the_middle_of_registrations_loses_nothing(cluster: str) -> None:
    answered: dict[str, int] = {}
    for life in range(3):
        with web(cluster) as running:
            enough = threading.Event()

            def work(worker: int, life: int = life, url: str = running.url, enough: threading.Event = enough) -> None:
                number = 0
                while True:
                    schema = record(("a", "int"), name=f"L{life}W{worker}N{number}")
                    try:
                        answer = register(url, f"s-{life}-{worker}-{number}", schema)
                    except httpx.HTTPError:
                        return  # it is dead
                    answered[schema] = answer.raise_for_status().json()["id"]
                    number += 1
                    if number == 3 + life:
                        enough.set()

            workers = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
            for each in workers:
                each.start()
            assert enough.wait(120)
            running.kill()
            for each in workers:
                each.join()
    with web(cluster) as running:
        for schema, schema_id in answered.items():
            found = httpx.get(f"{running.url}/registry/schemas/ids/{schema_id}", timeout=120)
            assert found.json() == {"schema": schema}, "what was answered is there"
        last = register(running.url, "last", '"int"').raise_for_status().json()["id"]
    ids = ids_of(kept(cluster))
    assert set(answered) <= set(ids) and all(len(each) == 1 for each in ids.values())
    numbers = sorted(number for each in ids.values() for number in each)
    assert numbers == list(range(1, last + 1)), "one id for one schema, without gaps: what was not committed took none"


def test_what_comes_over_http_is_json_and_within_bounds(cluster: str) -> None:
    with web(cluster, "--read-only") as running, httpx.Client(base_url=f"{running.url}/registry", timeout=120) as http:
        path, body = "/subjects/s/versions", json.dumps({"schema": '"int"'})
        assert http.post(path, content=body, headers=KINDS).json()["type"] == "urn:penstock:problem:read-only"
        assert http.post("/subjects/s", content=body, headers=KINDS).json()["error_code"] == 40401, "a look-up reads"
        assert http.put("/config", content=b"{}", headers=KINDS).status_code == 403
        assert http.get("/subjects").json() == []
    with web(cluster) as running, httpx.Client(base_url=f"{running.url}/registry", timeout=120) as http:
        assert http.post(path, content=body, headers={"content-type": "text/plain"}).status_code == 415
        assert http.post(path, content=body, headers=KINDS | {"origin": "https://else.example"}).status_code == 403
        assert http.post(path, content=b"x" * 17 * 2**20, headers=KINDS).status_code == 413
        assert http.post(path, content=b"{", headers=KINDS).json()["error_code"] == 422
        deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        assert http.put("/config", content=deep, headers=KINDS).json()["error_code"] == 400
        assert http.get("/subjects").json() == [] and http.patch("/subjects").status_code == 405
        script = '{"type":"enum","name":"E","symbols":[],"doc":"<script>alert(1)</script>"}'
        named = "%3Cscript%3E%2F..%2F%C3%A4"
        assert http.post(f"/subjects/{named}/versions", json={"schema": script}).json() == {"id": 1}
        answer = http.get("/subjects", headers={"accept": "text/html"})
        assert answer.json() == ["<script>/../ä"] and answer.headers["content-type"].startswith("application/json")
        assert json.loads(http.get("/schemas/ids/1").json()["schema"])["doc"] == "<script>alert(1)</script>"


async def test_a_broker_that_does_not_know_the_topic_makes_nobody_forget_what_is_in_it(cluster: str) -> None:
    """It has news late. Here it is one of another cluster."""
    registry = Registry()
    path = ["subjects", "s", "versions"]

    def request(method: str, schema: str = "") -> Plan:
        return plan(Asked(method, path, {}, json.dumps({"schema": schema}).encode()))

    with penstock_testing.broker({"node.id": "1"}) as other:
        async with AsyncClient(cluster) as knows, AsyncClient(other.bootstrap) as knows_not:
            assert await registry.carry_out(knows, request("POST", record(("a", "int")))) == {"id": 1}
            with pytest.raises(RegistryRefusal):
                await registry.carry_out(knows_not, request("GET"))
            assert await registry.carry_out(knows, request("GET")) == [1]
            new = record(("a", "int"), ("b", "int", 0))
            assert await registry.carry_out(knows, request("POST", new)) == {"id": 2}


def test_without_a_cluster_nothing_is_answered_as_if_it_were_empty() -> None:
    with web("127.0.0.1:1", "--timeout", "2") as running:
        answer = httpx.get(f"{running.url}/registry/subjects", timeout=120)
    assert answer.status_code == 502 and answer.json()["error_code"] == 502
