"""penstock apis and penstock settings: the tables in the code, for people."""

import json

import pytest

from penstock.cli.api_reasons import REASONS
from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.wire.api import BROKER_APIS


def test_every_broker_api_is_listed_in_key_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["apis", "--json"]) == ExitCode.OK
    rows = json.loads(capsys.readouterr().out)
    assert [row["key"] for row in rows] == sorted(BROKER_APIS) and len(rows) == 77
    produce = rows[0]
    assert (produce["name"], produce["kafka"], produce["answered"]) == ("Produce", [3, 13], [3, 13])


def test_an_api_that_is_not_answered_has_a_reason_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    run(["apis", "--missing", "--json"])
    told = {row["key"]: row["reason"] for row in json.loads(capsys.readouterr().out)}
    assert told == {int(key): reason for key, reason in REASONS.items()} and all(told.values())


def test_what_is_answered_is_answered_at_all_of_kafkas_versions(capsys: pytest.CaptureFixture[str]) -> None:
    run(["apis", "--json"])
    answered = [row for row in json.loads(capsys.readouterr().out) if row["state"] == "answered"]
    assert [row["name"] for row in answered if row["answered"] != row["kafka"]] == []


def test_the_table_of_apis_ends_with_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    run(["apis"])
    assert "of 77 answered. What is not answered is not advertised" in capsys.readouterr().out


def test_a_setting_is_explained_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["settings", "explain", "retention.ms"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "retention.ms  (topic setting)" in shown
    assert "604800000 (7 days)" in shown
    assert "log.retention.ms, then log.retention.minutes (times 60,000)" in shown
    assert "take effect while the broker runs" in shown


def test_a_broker_setting_says_what_it_is_the_default_of(capsys: pytest.CaptureFixture[str]) -> None:
    run(["settings", "explain", "log.segment.bytes"])
    assert "segment.bytes of topics" in capsys.readouterr().out


def test_a_name_of_two_scopes_is_explained_for_both(capsys: pytest.CaptureFixture[str]) -> None:
    run(["settings", "explain", "min.insync.replicas", "--json"])
    assert {row["scope"] for row in json.loads(capsys.readouterr().out)} == {"broker", "topic"}


def test_a_misspelt_setting_is_exit_code_4_and_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["settings", "explain", "retension.ms"]) == ExitCode.NOT_FOUND
    assert "Did you mean retention.ms" in capsys.readouterr().err


def test_settings_are_listed_by_scope(capsys: pytest.CaptureFixture[str]) -> None:
    run(["settings", "list", "--scope", "topic", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert {row["scope"] for row in rows} == {"topic"}
    assert {"cleanup.policy", "retention.ms", "segment.bytes"} <= {row["name"] for row in rows}
    assert all(row["doc"] for row in rows)


def test_versions_for_a_bug_report(capsys: pytest.CaptureFixture[str]) -> None:
    run(["version", "--json"])
    assert set(json.loads(capsys.readouterr().out)) == {"penstock", "python", "confluent-kafka", "librdkafka", "system"}
