"""What /health, /ready and /metrics say."""

import json
from http import HTTPStatus
from typing import Any

from penstock import __version__
from penstock.admin.http import Request, Response
from penstock.admin.pages import FolderTrouble, Health, LogTrouble, pages
from penstock.metrics import Metrics, MetricsRegistry, counter


class Node:
    def __init__(self) -> None:
        self.is_ready = False
        self.found = Health(broker_id=1, cluster_id="abc")

    def health(self) -> Health:
        return self.found


class TapMetrics(Metrics, prefix="tap"):
    drops = counter("Drops.")


async def ask(node: Node, path: str, registry: MetricsRegistry | None = None) -> Response:
    return await pages(node, registry or MetricsRegistry())[path](Request(path, "", {}))


async def test_a_broker_is_ready_once_it_serves() -> None:
    node = Node()
    assert (await ask(node, "/ready")).status is HTTPStatus.SERVICE_UNAVAILABLE
    node.is_ready = True
    assert (await ask(node, "/ready")).status is HTTPStatus.OK


async def test_a_healthy_broker_says_who_it_is() -> None:
    response = await ask(Node(), "/health")
    assert response.status is HTTPStatus.OK
    assert json.loads(response.body) == {
        "status": "ok",
        "version": __version__,
        "ready": False,
        "broker_id": 1,
        "cluster_id": "abc",
        "waiting_for": "",
        "offline_logs": [],
        "damaged_logs": [],
        "uncleanable_logs": [],
        "incomplete_logs": [],
        "full_folders": [],
        "failing_folders": [],
        "audit_log": "",
        "audit_heads": {},
        "open_listeners": [],
        "set_aside": [],
    }


async def test_a_start_that_waits_says_what_for() -> None:
    node = Node()
    node.found = Health(broker_id=1, cluster_id="", waiting_for="the metadata store: no answer yet")
    response = await ask(node, "/health")
    assert response.status is HTTPStatus.SERVICE_UNAVAILABLE
    page = json.loads(response.body)
    assert (page["status"], page["ready"], page["waiting_for"]) == (
        "degraded",
        False,
        "the metadata store: no answer yet",
    )


async def test_an_offline_log_is_named_with_its_reason() -> None:
    node = Node()
    node.found = Health(broker_id=1, cluster_id="abc", offline_logs=[LogTrouble("orders-0", "write failed: EIO")])
    response = await ask(node, "/health")
    assert response.status is HTTPStatus.SERVICE_UNAVAILABLE
    page = json.loads(response.body)
    assert page["status"] == "degraded"
    assert page["offline_logs"] == [{"name": "orders-0", "reason": "write failed: EIO"}]


async def test_damaged_and_uncleanable_logs_are_named_with_their_reasons() -> None:
    node = Node()
    for field in ("damaged_logs", "uncleanable_logs"):
        troubles: dict[str, Any] = {field: [LogTrouble("orders-0", "why")]}
        node.found = Health(broker_id=1, cluster_id="abc", **troubles)
        response = await ask(node, "/health")
        assert response.status is HTTPStatus.SERVICE_UNAVAILABLE
        assert json.loads(response.body)[field] == [{"name": "orders-0", "reason": "why"}]


async def test_folders_set_aside_are_named_but_no_reason_to_be_unwell() -> None:
    node = Node()
    node.found = Health(broker_id=1, cluster_id="abc", set_aside=["/data/old-0.1-stray"])
    response = await ask(node, "/health")
    assert response.status is HTTPStatus.OK
    assert json.loads(response.body)["set_aside"] == ["/data/old-0.1-stray"]


async def test_a_full_disk_is_not_well_either() -> None:
    node = Node()
    node.found = Health(broker_id=1, cluster_id="abc", full_folders=["/data"])
    assert (await ask(node, "/health")).status is HTTPStatus.SERVICE_UNAVAILABLE


async def test_a_folder_whose_upkeep_fails_is_named_with_the_step_and_the_reason() -> None:
    node = Node()
    node.found = Health(
        broker_id=1, cluster_id="abc", failing_folders=[FolderTrouble("/data", "retention", "Input/output error")]
    )
    response = await ask(node, "/health")
    assert response.status is HTTPStatus.SERVICE_UNAVAILABLE
    assert json.loads(response.body)["failing_folders"] == [
        {"folder": "/data", "step": "retention", "reason": "Input/output error"}
    ]


async def test_metrics_are_those_of_the_registry_and_the_process() -> None:
    registry = MetricsRegistry()
    registry.of(TapMetrics).drops += 3
    response = await ask(Node(), "/metrics", registry)
    assert b"\ntap_drops_total 3.0\n" in response.body
    assert b"process_cpu_seconds_total" in response.body
    assert response.content_type.startswith("text/plain")
