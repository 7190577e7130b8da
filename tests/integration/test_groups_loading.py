"""While a coordinator reads its log after a start, whoever asks is told so, and then finds everything."""

from __future__ import annotations

import time
import urllib.request
from typing import Any

from tests.support.coordinators import Kind, ask_coordinator, error_codes
from tests.support.raw import RawClient, port_of

from penstock.errors import CoordinatorLoadInProgress
from penstock.testing.plugin import BrokerFactory

PARTITIONS, GROUPS = 500, 80
COMMIT, FETCH = 8, 8
WITHIN_S = 120.0


def commit(client: RawClient, group: str) -> None:
    parts = [
        {"partition_index": index, "committed_offset": 7, "committed_leader_epoch": -1, "committed_metadata": ""}
        for index in range(PARTITIONS)
    ]
    body: dict[str, Any] = {
        "group_id": group,
        "generation_id_or_member_epoch": -1,
        "member_id": "",
        "group_instance_id": None,
    }
    body |= {"topics": [{"name": "orders", "partitions": parts}]}
    answer = ask_coordinator(client, Kind.GROUP, group, "OffsetCommit", COMMIT, body)
    assert set(error_codes(answer)) == {0}


def fetch(client: RawClient, group: str) -> tuple[int, int]:
    """The group's error code, and how many offsets it has."""
    body = {"groups": [{"group_id": group, "topics": None}], "require_stable": False}
    (answer,) = client.request("OffsetFetch", FETCH, body)["groups"]
    return answer["error_code"], sum(len(topic["partitions"]) for topic in answer["topics"])


def test_groups_are_loading_for_a_while_and_have_lost_nothing(penstock_broker_factory: BrokerFactory) -> None:
    broker = penstock_broker_factory({"offsets.topic.num.partitions": "1"})
    with RawClient(port_of(broker.bootstrap)) as client:
        topic = {"name": "orders", "num_partitions": PARTITIONS, "replication_factor": 1}
        topic |= {"assignments": [], "configs": []}
        client.request("CreateTopics", 7, {"topics": [topic], "timeout_ms": 120_000, "validate_only": False})
        for number in range(GROUPS):
            commit(client, f"g{number}")
    broker.kill()
    broker.restart()
    seen: set[int] = set()
    with RawClient(port_of(broker.bootstrap)) as client:
        deadline = time.monotonic() + WITHIN_S
        while (answer := fetch(client, "g0")) != (0, PARTITIONS):
            assert time.monotonic() < deadline and answer[1] == 0, answer
            seen.add(answer[0])
        assert {fetch(client, f"g{number}") for number in range(GROUPS)} == {(0, PARTITIONS)}
    assert seen <= {CoordinatorLoadInProgress.code}  # none where it was loaded before anybody asked
    with urllib.request.urlopen(f"{broker.http_url}/metrics") as page:
        numbers = dict(
            line.split() for line in page.read().decode().splitlines() if line.startswith("penstock_group_c")
        )
    assert float(numbers["penstock_group_coordinator_loaded_records"]) == PARTITIONS * GROUPS
    assert float(numbers["penstock_group_coordinator_load_seconds"]) > 0
