"""penstock topic ... against a running broker."""

import json
from uuid import uuid4

import pytest
from tests.support.command import Penstock

from penstock.cli.exits import ExitCode


@pytest.fixture
def name() -> str:
    return f"topic-{uuid4().hex[:8]}"


def test_a_created_topic_is_listed_and_described(penstock: Penstock, name: str) -> None:
    created = penstock("topic", "create", name, "-p", "3", "-s", "retention.ms=60000")
    assert (created.code, created.out) == (ExitCode.OK, f"created {name}\n")
    listed = json.loads(penstock("topic", "list", "--json", "--counts").out)
    assert {"topic": name, "partitions": 3, "replication_factor": 1, "records": 0} in listed
    (described,) = json.loads(penstock("topic", "describe", name, "--json").out)
    assert [(p["partition"], p["begin"], p["end"], p["records"]) for p in described["partitions"]] == [
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (2, 0, 0, 0),
    ]
    assert all(p["replicas"] == p["in_sync"] == [p["leader"]] for p in described["partitions"])
    assert {"name": "retention.ms", "value": "60000", "source": "topic"} in described["settings"]


def test_tables_are_for_people(penstock: Penstock, name: str) -> None:
    penstock("topic", "create", name, "-s", "segment.bytes=2000000")
    shown = penstock("topic", "describe", name).out
    assert "partition  leader  replicas  in sync  begin  end  records" in shown
    assert ["segment.bytes", "2000000", "topic"] in [line.split() for line in shown.splitlines()]
    assert name in penstock("topic", "list").out
    assert name in penstock("topic", "list", "--names").out.splitlines()


def test_settings_at_their_defaults_are_shown_when_asked_for(penstock: Penstock, name: str) -> None:
    penstock("topic", "create", name)
    assert "cleanup.policy" not in penstock("topic", "describe", name).out
    assert "cleanup.policy" in penstock("topic", "describe", name, "--all-settings").out


def test_creating_twice_is_refused_unless_one_does_not_mind(penstock: Penstock, name: str) -> None:
    penstock("topic", "create", name)
    again = penstock("topic", "create", name)
    assert again.code == ExitCode.FAILED and "TOPIC_ALREADY_EXISTS" in again.err
    assert penstock("topic", "create", name, "--if-not-exists").code == ExitCode.OK


def test_validating_only_creates_nothing(penstock: Penstock, name: str) -> None:
    asked = penstock("topic", "create", name, "--validate-only")
    assert (asked.code, asked.out) == (ExitCode.OK, f"would create {name}\n")
    assert name not in penstock("topic", "list", "--names").out


def test_a_bad_setting_is_refused_in_words(penstock: Penstock, name: str) -> None:
    refused = penstock("topic", "create", name, "-s", "retention.ms=soon")
    assert refused.code == ExitCode.FAILED and "INVALID_CONFIG" in refused.err and "retention.ms" in refused.err


def test_settings_are_altered_and_taken_back(penstock: Penstock, name: str) -> None:
    penstock("topic", "create", name, "-s", "retention.ms=60000")
    assert penstock("topic", "alter", name, "-s", "segment.ms=1000", "-u", "retention.ms").code == ExitCode.OK
    (described,) = json.loads(penstock("topic", "describe", name, "--json").out)
    own = {s["name"]: s["value"] for s in described["settings"] if s["source"] == "topic"}
    assert own == {"segment.ms": "1000"}


def test_partitions_are_added_and_never_taken_away(penstock: Penstock, name: str) -> None:
    penstock("topic", "create", name, "-p", "2")
    assert penstock("topic", "add-partitions", name, "--by", "2").out == f"grew {name}, 4 partitions\n"
    fewer = penstock("topic", "add-partitions", name, "--to", "3")
    assert fewer.code == ExitCode.FAILED and "INVALID_PARTITIONS" in fewer.err


def test_a_deleted_topic_is_gone(penstock: Penstock, name: str) -> None:
    penstock("topic", "create", name)
    assert penstock("topic", "delete", name).code == ExitCode.USAGE  # nobody to ask
    assert penstock("topic", "delete", name, "--yes").out == f"deleted {name}\n"
    assert name not in penstock("topic", "list", "--names").out


@pytest.mark.parametrize(
    "command", [["describe"], ["alter", "-s", "a=1"], ["delete", "-y"], ["add-partitions", "--by=1"]]
)
def test_a_topic_that_does_not_exist_is_exit_code_4(penstock: Penstock, command: list[str]) -> None:
    missing = penstock("topic", *command, "no-such-topic")
    assert missing.code == ExitCode.NOT_FOUND and "there is no topic 'no-such-topic'" in missing.err
