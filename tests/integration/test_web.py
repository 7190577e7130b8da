"""The web process in front of a real cluster, Penstock's and Apache Kafka's."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from tests.support.web import web


@pytest.fixture(scope="module")
def http(either_cluster: str) -> Iterator[httpx.Client]:
    with web(either_cluster) as running, httpx.Client(base_url=running.url, timeout=120) as client:
        yield client


def test_it_tells_the_cluster_it_stands_in_front_of(http: httpx.Client, either_cluster: str) -> None:
    (cluster,) = http.get("/v3/clusters").raise_for_status().json()["data"]
    assert http.get(cluster["metadata"]["self"]).json()["cluster_id"] == cluster["cluster_id"]
    (broker,) = http.get(cluster["brokers"]["related"]).json()["data"]
    assert f"{broker['host']}:{broker['port']}" == either_cluster
    assert http.get(cluster["controller"]["related"]).json()["broker_id"] == broker["broker_id"]


@pytest.mark.parametrize(
    ("path", "headers", "status", "kind"),
    [
        ("/v3/clusters/another", {}, 404, "unknown-cluster"),
        ("/v3/nothing", {}, 404, "not-found"),
        ("/v3/clusters", {"host": "rebound.example"}, 421, "unknown-host"),
        ("/v3/clusters", {"origin": "https://elsewhere.example"}, 403, "foreign-page"),
        ("/v3/clusters", {"origin": "null"}, 403, "foreign-page"),
    ],
)
def test_every_refusal_is_a_problem_document(
    http: httpx.Client, path: str, headers: dict[str, str], status: int, kind: str
) -> None:
    answer = http.get(path, headers=headers)
    problem = answer.json()
    assert answer.status_code == problem["status"] == problem["error_code"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["type"] == f"urn:penstock:problem:{kind}" and problem["detail"]


def test_a_cluster_that_does_not_answer_is_a_bad_gateway() -> None:
    with web("127.0.0.1:1", "--timeout", "3") as running:
        answer = httpx.get(f"{running.url}/v3/clusters", timeout=120)
    assert answer.status_code == 502 and answer.json()["kafka_error"] == "NETWORK_EXCEPTION"


def test_it_stops_cleanly_when_asked() -> None:
    with web("127.0.0.1:1") as running:
        running.process.terminate()
        assert running.process.wait(60) == 0
