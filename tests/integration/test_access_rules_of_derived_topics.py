"""Topics that show or feed another one: a right on them is none on that one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.integration.test_access_rules import (
    PREFIXED,
    TOPIC_FAILED,
    Broker,
    fetched,
    produced,
)
from tests.support.faults import eventually
from tests.support.ruled import ruled_broker

from penstock.access.rights import Operation, ResourceKind

OF, FILTER, TARGET = "penstock.view.of", "penstock.view.filter", "penstock.schedule.target"
TOPIC = ResourceKind.TOPIC


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Alice may do everything with topics whose names begin with "a-", and make such topics."""
    settings = {"penstock.schedule.auto.create.enable": "true"}
    with ruled_broker(tmp_path_factory.mktemp("users"), "alice", settings=settings) as (port, running):
        broker = Broker(port, running)
        broker.allow("alice", Operation.ALL, TOPIC, "a-", pattern=PREFIXED)
        broker.topic("a-own")
        broker.topic("secret")
        with broker.connect("root") as root:
            (topic,) = root.request("Produce", 9, produced("secret"))["responses"]
            assert topic["partition_responses"][0]["error_code"] == 0
        yield broker


def created(client: Any, name: str, configs: Sequence[tuple[str, str]] = (), *, count: int = -1) -> int:
    topic = {"name": name, "num_partitions": count, "replication_factor": -1}
    topic["configs"] = [{"name": setting, "value": value} for setting, value in configs]
    (answer,) = client.request("CreateTopics", 7, {"topics": [topic], "timeout_ms": 60_000})["topics"]
    code: int = answer["error_code"]
    return code


@pytest.mark.parametrize(
    "sources", [("secret",), ("a-own", "secret"), ("", "secret"), ("secret", "a-own", "secret"), ("nothing",)]
)
def test_a_view_is_made_only_by_who_may_read_what_it_shows(broker: Broker, sources: tuple[str, ...]) -> None:
    """A setting that is given twice counts as it was given last, here too."""
    with broker.connect("alice") as alice:
        assert created(alice, "a-view", [(OF, each) for each in sources]) == TOPIC_FAILED
        part = alice.request("Fetch", 12, fetched("a-view"))["responses"][0]["partitions"][0]
        assert not part["records"]


@pytest.mark.parametrize("targets", [("secret",), ("a-own", "secret"), ("nothing",), ("__consumer_offsets",)])
def test_a_schedule_topic_is_made_only_by_who_may_write_to_its_target(broker: Broker, targets: tuple[str, ...]) -> None:
    """Else its maker would learn whether there is such a topic, how many partitions it has, and keep it from being
    deleted.
    """
    with broker.connect("alice") as alice:
        for count in (-1, 7):
            assert created(alice, "a-later", [(TARGET, each) for each in targets], count=count) == TOPIC_FAILED


def test_names_of_schedule_topics_that_come_by_use_ask_for_the_same(broker: Broker) -> None:
    """`secret` is there and `nothing` is not: that does not show."""
    broker.allow("alice", Operation.ALL, TOPIC, "secret.later")
    broker.allow("alice", Operation.ALL, TOPIC, "nothing.later")
    broker.allow("alice", Operation.ALL, TOPIC, "_delay.", pattern=PREFIXED)
    names = ("secret.later", "nothing.later", "_delay.5s.secret", "_delay.5s.nothing")
    with broker.connect("alice") as alice, broker.connect("root") as root:
        for name in names:
            assert created(alice, name) == TOPIC_FAILED
            asked = {"topics": [{"name": name}], "allow_auto_topic_creation": True}
            assert [each["error_code"] for each in alice.request("Metadata", 12, asked)["topics"]] == [TOPIC_FAILED]
        assert created(alice, "a-own.later") == 0
        listed = {each["name"] for each in root.request("Metadata", 12, {"topics": None})["topics"]}
        assert "a-own.later" in listed and listed.isdisjoint(names)


def test_a_schedule_topic_takes_records_only_from_who_may_write_to_its_target(broker: Broker) -> None:
    with broker.connect("root") as root, broker.connect("alice") as alice:
        assert created(root, "a-schedule", [(TARGET, "secret")]) == 0
        for request in (produced("a-schedule"), produced("a-schedule") | {"acks": -1}):
            (topic,) = alice.request("Produce", 9, request)["responses"]
            assert topic["partition_responses"][0]["error_code"] == TOPIC_FAILED


def test_what_is_said_of_a_view_does_not_name_what_it_shows(broker: Broker) -> None:
    """To who may use the view, and knows of nothing else."""
    with broker.connect("root") as root, broker.connect("alice") as alice:
        assert created(root, "a-shown", [(OF, "secret"), (FILTER, "key = 'a'")]) == 0
        eventually(
            lambda: alice.request("Fetch", 12, fetched("a-shown"))["responses"][0]["partitions"][0]["error_code"] == 0,
            "the view",
        )
        grown = {"topics": [{"name": "a-shown", "count": 9}], "timeout_ms": 60_000}
        cut = {"topics": [{"name": "a-shown", "partitions": [{"partition_index": 0, "offset": 0}]}]}
        topic = {"name": "a-second", "num_partitions": -1, "replication_factor": -1}
        topic["configs"] = [{"name": OF, "value": "a-shown"}]
        answers = [
            alice.request("Produce", 9, produced("a-shown")),
            alice.request("CreatePartitions", 3, grown),
            alice.request("DeleteRecords", 2, cut | {"timeout_ms": 60_000}),
            alice.request("CreateTopics", 7, {"topics": [topic], "timeout_ms": 60_000}),
        ]
        for answer in answers:
            assert "'error_code': 0" not in str(answer).replace("'throttle_time_ms': 0", "")
            assert "secret" not in str(answer)
        (altered,) = alice.request(
            "IncrementalAlterConfigs",
            1,
            {
                "resources": [
                    {
                        "resource_type": 2,
                        "resource_name": "a-shown",
                        "configs": [{"name": FILTER, "config_operation": 0, "value": "size < 9"}],
                    }
                ]
            },
        )["responses"]
        assert altered["error_code"] == TOPIC_FAILED
