"""A broker that keeps an audit log: every API that changes something leaves its trace before it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.support.raw import ConnectionEnded, RawClient, port_of

from penstock.access.audit.files import files_in, lines_of
from penstock.access.audit.reading import verify_folder
from penstock.broker import handlers as _handlers  # noqa: F401 - importing them fills the registry
from penstock.broker.auditing import ROWS
from penstock.broker.registry import REGISTRY
from penstock.testing import RunningBroker, broker
from penstock.wire.api import ApiKey

SECRET = "do-not-tell-this"
SECRET_BYTES = SECRET.encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit")


@pytest.fixture(scope="module")
def audited(folder: Path) -> Iterator[RunningBroker]:
    settings = {
        "penstock.audit.dir": str(folder),
        "penstock.audit.fold.ms": 100,
        "log.cleaner.enable": False,
        "authorizer.class.name": "penstock",
        "super.users": "User:ANONYMOUS",
    }
    with broker(settings, mode="thread") as running:
        yield running


@pytest.fixture
def client(audited: RunningBroker) -> Iterator[RawClient]:
    with closing(RawClient(port_of(audited.bootstrap))) as one:
        yield one


def all_events(folder: Path) -> list[dict[str, Any]]:
    """What is on disk now."""
    return [json.loads(line) for each in files_in(folder) for line in lines_of(each.path)]


def events(folder: Path, operation: str) -> list[dict[str, Any]]:
    return [event for event in all_events(folder) if event.get("api", {}).get("operation") == operation]


def create(client: RawClient, name: str, *, partitions: int = 1, configs: dict[str, str] | None = None) -> int:
    topic = {
        "name": name,
        "num_partitions": partitions,
        "replication_factor": 1,
        "assignments": [],
        "configs": [{"name": key, "value": value} for key, value in (configs or {}).items()],
    }
    answer = client.request("CreateTopics", 7, {"topics": [topic], "timeout_ms": 30_000, "validate_only": False})
    return int(answer["topics"][0]["error_code"])


def test_a_topic_and_its_settings_before_and_after(client: RawClient, folder: Path) -> None:
    assert create(client, "orders", partitions=3, configs={"retention.ms": "1000"}) == 0
    created = events(folder, "CreateTopics")[-1]
    assert created["status_id"] == 1
    assert created["actor"] == {"user": {"name": "ANONYMOUS", "type": "User"}, "app_name": "raw"}
    assert created["src_endpoint"]["ip"] == "127.0.0.1" and created["src_endpoint"]["port"]
    assert created["resources"] == [
        {
            "type": "topic",
            "name": "orders",
            "data": {"after": {"partitions": 3, "replication_factor": 1, "settings": {"retention.ms": "1000"}}},
        }
    ]
    change = {"name": "retention.ms", "config_operation": 0, "value": "2000"}
    resource = {"resource_type": 2, "resource_name": "orders", "configs": [change]}
    answer = client.request("IncrementalAlterConfigs", 1, {"resources": [resource], "validate_only": False})
    assert answer["responses"][0]["error_code"] == 0
    (altered,) = events(folder, "IncrementalAlterConfigs")[-1]["resources"]
    assert altered["data"] == {"before": {"retention.ms": "1000"}, "after": {"retention.ms": "2000"}}
    client.request("DeleteTopics", 6, {"topics": [{"name": "orders", "topic_id": bytes(16)}], "timeout_ms": 30_000})
    (deleted,) = events(folder, "DeleteTopics")[-1]["resources"]
    assert deleted["data"]["before"]["settings"] == {"retention.ms": "2000"} and "after" not in deleted["data"]


def test_outcomes_are_told_for_each_resource(client: RawClient, folder: Path) -> None:
    assert create(client, "there") == 0
    topics: list[dict[str, Any]] = [
        {"name": name, "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}
        for name in ("there", "new")
    ]
    client.request("CreateTopics", 7, {"topics": topics, "timeout_ms": 30_000, "validate_only": False})
    event = events(folder, "CreateTopics")[-1]
    assert event["status_id"] == 99, "some of it was done"
    codes = {each["name"]: each["data"].get("status_code") for each in event["resources"]}
    assert codes == {"there": "36", "new": None}


def test_a_request_about_thousands_of_things_leaves_all_of_them(client: RawClient, folder: Path) -> None:
    """Their answers are put into bytes elsewhere, as they are long."""
    rule = {
        "resource_type": 2, "resource_pattern_type": 3, "principal": "User:many", "host": "*", "operation": 3,
        "permission_type": 3,
    }  # fmt: skip
    names = {f"many-{number}" for number in range(1_500)}
    made = client.request("CreateAcls", 3, {"creations": [{**rule, "resource_name": name} for name in sorted(names)]})
    assert {each["error_code"] for each in made["results"]} == {0}
    told = [each["name"] for event in events(folder, "CreateAcls") for each in event["resources"]]
    assert {text.rpartition(" ")[2] for text in told} >= names


def test_what_was_only_tried_out_is_not_told(client: RawClient, folder: Path) -> None:
    before = len(events(folder, "CreateTopics"))
    topic = {"name": "dry", "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}
    client.request("CreateTopics", 7, {"topics": [topic], "timeout_ms": 30_000, "validate_only": True})
    assert len(events(folder, "CreateTopics")) == before


def test_quotas_and_users_before_and_after(client: RawClient, folder: Path) -> None:
    for value in (1_000.0, 2_000.0):
        entry = {
            "entity": [
                {"entity_type": "user", "entity_name": "eve"},
                {"entity_type": "client-id", "entity_name": None},
            ],
            "ops": [{"key": "producer_byte_rate", "value": value, "remove": False}],
        }
        answer = client.request("AlterClientQuotas", 1, {"entries": [entry], "validate_only": False})
        assert answer["entries"][0]["error_code"] == 0, answer
    (quota,) = events(folder, "AlterClientQuotas")[-1]["resources"]
    assert quota["name"] == "user eve, client-id (default)"
    assert quota["data"] == {"before": {"producer_byte_rate": 1_000.0}, "after": {"producer_byte_rate": 2_000.0}}
    for mechanism in (1, 2):
        key = SECRET_BYTES * 2 if mechanism == 1 else SECRET_BYTES * 4
        added = {
            "name": "eve",
            "mechanism": mechanism,
            "iterations": 4096,
            "salt": SECRET_BYTES,
            "salted_password": key,
        }
        answer = client.request("AlterUserScramCredentials", 0, {"deletions": [], "upsertions": [added]})
        assert answer["results"][0]["error_code"] == 0, answer
    (user,) = events(folder, "AlterUserScramCredentials")[-1]["resources"]
    one = {"SCRAM-SHA-256": {"iterations": 4096}}
    assert user["data"]["before"] == {"scram": one, "groups": []}
    assert user["data"]["after"] == {"scram": {**one, "SCRAM-SHA-512": {"iterations": 4096}}, "groups": []}


def test_after_a_kill_all_that_was_answered_is_told_and_the_chain_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    with broker({"penstock.audit.dir": str(folder)}, mode="process") as running:
        answered: list[str] = []
        enough = threading.Event()

        def change() -> None:
            with closing(RawClient(port_of(running.bootstrap))) as client, suppress(ConnectionEnded):
                for number in count():
                    assert create(client, f"topic-{number}") == 0
                    answered.append(f"topic-{number}")
                    if number == 10:
                        enough.set()

        changing = threading.Thread(target=change)
        changing.start()
        assert enough.wait(60)
        running.kill()
        changing.join()
        newest = files_in(folder)[-1].path
        newest.write_bytes(newest.read_bytes() + b'{"class_uid":6003,"categ')  # as if it had been killed in the write
        running.start()
        told = {resource["name"] for event in events(folder, "CreateTopics") for resource in event["resources"]}
        assert set(answered) <= told
        starts = [event["message"] for event in all_events(folder) if event["class_uid"] == 1008]
        assert "broke off after 24 bytes" in starts[-1]
        with closing(RawClient(port_of(running.bootstrap))) as client:
            assert create(client, "after") == 0
    (report,) = verify_folder(folder, {})
    assert report.is_whole and len(starts) == 2


# Every API that changes something -------------------------------------------------------------------------------------

_ACL = {"resource_type": 2, "principal": "User:bob", "host": "*", "operation": 3, "permission_type": 3}
REQUESTS: dict[ApiKey, tuple[int, dict[str, Any]]] = {
    ApiKey.CREATE_TOPICS: (
        7,
        {
            "topics": [
                {"name": "made", "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}
            ],
            "timeout_ms": 30_000,
            "validate_only": False,
        },
    ),
    ApiKey.CREATE_PARTITIONS: (
        3,
        {"topics": [{"name": "kept", "count": 5, "assignments": None}], "timeout_ms": 30_000, "validate_only": False},
    ),
    ApiKey.DELETE_TOPICS: (6, {"topics": [{"name": "gone", "topic_id": bytes(16)}], "timeout_ms": 30_000}),
    ApiKey.DELETE_RECORDS: (
        2,
        {"topics": [{"name": "kept", "partitions": [{"partition_index": 0, "offset": 0}]}], "timeout_ms": 30_000},
    ),
    ApiKey.ALTER_CONFIGS: (
        2,
        {
            "resources": [
                {
                    "resource_type": 2,
                    "resource_name": "kept",
                    "configs": [{"name": "retention.ms", "value": "5000"}],
                }
            ],
            "validate_only": False,
        },
    ),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: (
        1,
        {
            "resources": [
                {
                    "resource_type": 4,
                    "resource_name": "1",
                    "configs": [{"name": "max.connections", "config_operation": 0, "value": "12345"}],
                }
            ],
            "validate_only": False,
        },
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: (
        1,
        {
            "timeout_ms": 30_000,
            "allow_replication_factor_change": True,
            "topics": [{"name": "kept", "partitions": [{"partition_index": 0, "replicas": [1]}]}],
        },
    ),
    ApiKey.ELECT_LEADERS: (
        2,
        {"election_type": 0, "topic_partitions": [{"topic": "kept", "partitions": [0]}], "timeout_ms": 30_000},
    ),
    ApiKey.ALTER_REPLICA_LOG_DIRS: (
        2,
        {"dirs": [{"path": "/nowhere", "topics": [{"name": "kept", "partitions": [0]}]}]},
    ),
    ApiKey.WRITE_TXN_MARKERS: (
        1,
        {
            "markers": [
                {
                    "producer_id": 7,
                    "producer_epoch": 0,
                    "transaction_result": False,
                    "topics": [{"name": "kept", "partition_indexes": [0]}],
                    "coordinator_epoch": 0,
                }
            ]
        },
    ),
    ApiKey.DELETE_GROUPS: (2, {"groups_names": ["nobody"]}),
    ApiKey.OFFSET_DELETE: (
        0,
        {"group_id": "nobody", "topics": [{"name": "kept", "partitions": [{"partition_index": 0}]}]},
    ),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: (
        0,
        {
            "group_id": "nobody",
            "topics": [{"topic_name": "kept", "partitions": [{"partition_index": 0, "start_offset": 0}]}],
        },
    ),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: (0, {"group_id": "nobody", "topics": [{"topic_name": "kept"}]}),
    ApiKey.UPDATE_FEATURES: (
        1,
        {
            "timeout_ms": 30_000,
            "feature_updates": [{"feature": "group.version", "max_version_level": 1, "upgrade_type": 1}],
            "validate_only": False,
        },
    ),
    ApiKey.UNREGISTER_BROKER: (0, {"broker_id": 99}),
    ApiKey.CREATE_ACLS: (3, {"creations": [{**_ACL, "resource_name": "kept", "resource_pattern_type": 3}]}),
    ApiKey.DELETE_ACLS: (
        3,
        {
            "filters": [
                {
                    "resource_type_filter": 2,
                    "resource_name_filter": "kept",
                    "pattern_type_filter": 3,
                    "principal_filter": None,
                    "host_filter": None,
                    "operation": 1,
                    "permission_type": 1,
                }
            ]
        },
    ),
    ApiKey.ALTER_CLIENT_QUOTAS: (
        1,
        {
            "entries": [
                {
                    "entity": [{"entity_type": "user", "entity_name": "bob"}],
                    "ops": [{"key": "producer_byte_rate", "value": 1000.0, "remove": False}],
                }
            ],
            "validate_only": False,
        },
    ),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: (
        0,
        {
            "deletions": [],
            "upsertions": [
                {
                    "name": "bob",
                    "mechanism": 1,
                    "iterations": 4096,
                    "salt": SECRET_BYTES,
                    "salted_password": SECRET_BYTES * 2,
                }
            ],
        },
    ),
    ApiKey.CREATE_DELEGATION_TOKEN: (
        3,
        {"owner_principal_type": None, "owner_principal_name": None, "renewers": [], "max_lifetime_ms": 60_000},
    ),
    ApiKey.RENEW_DELEGATION_TOKEN: (2, {"hmac": SECRET_BYTES, "renew_period_ms": 1000}),
    ApiKey.EXPIRE_DELEGATION_TOKEN: (2, {"hmac": SECRET_BYTES, "expiry_time_period_ms": 1000}),
}
CHANGING = sorted(key for key, answer in REGISTRY.items() if answer.audits)


def test_every_api_that_leaves_an_event_is_tried() -> None:
    untested = [key.name for key in CHANGING if key in ROWS and key not in REQUESTS]
    assert not untested, f"add a request to REQUESTS for {untested}"


@pytest.mark.parametrize("key", [key for key in CHANGING if key in ROWS], ids=lambda key: key.name)
def test_every_api_that_changes_something_leaves_an_event(key: ApiKey, client: RawClient, folder: Path) -> None:
    for name in ("kept", "gone"):
        there = client.request("Metadata", 8, {"topics": [{"name": name}], "allow_auto_topic_creation": False})
        if there["topics"][0]["error_code"]:  # a creation that is refused would be told, too, and later
            assert create(client, name) == 0
    operation = "".join(word.capitalize() for word in key.name.split("_"))
    before = sum(event.get("count", 1) for event in events(folder, operation))
    version, body = REQUESTS[key]
    answer = client.request(operation, version, body)
    while sum(event.get("count", 1) for event in events(folder, operation)) == before:
        client.request("ApiVersions", 0, {})  # what failed altogether is written soon, and nobody waits for it
    event = events(folder, operation)[-1]
    assert event["resources"] and event["src_endpoint"]["ip"] == "127.0.0.1"
    codes = _codes(answer)
    failed = [code for code in codes if code]
    assert event["status_id"] == (1 if not failed else 2 if len(failed) == len(codes) else 99), (answer, event)


def _codes(answer: Any) -> list[int]:
    """Of the resources where there are any, else of the whole."""
    found: list[int] = []

    def look(value: Any, depth: int) -> None:
        if isinstance(value, dict):
            if depth and "error_code" in value:
                found.append(value["error_code"])
            for each in value.values():
                look(each, depth + 1)
        elif isinstance(value, list):
            for each in value:
                look(each, depth)

    look(answer, 0)
    return [answer["error_code"]] if answer.get("error_code") or not found else found
