"""Every API as every kind of user: Penstock lets and refuses what Apache Kafka with its StandardAuthorizer does."""

from __future__ import annotations

import pytest
from tests.conformance.rights.play import Played
from tests.conformance.rights.table import OF_TOKENS, ROWS, SUPER_USER, USERS, key_of

from penstock.access.rights import NOTHING
from penstock.broker.registry import REGISTRY

DIFFERENCES: dict[str, str] = {}
"""Rows that Penstock answers otherwise on purpose, and why."""

FOR_ANYBODY = {"ApiVersions v3", "DescribeCluster v1"}
"""What Kafka answers everybody, though a part of it may be left out."""


def test_every_right_that_a_handler_names_is_tried() -> None:
    tried = {right for user in USERS for right in (*user.allowed, *user.denied)}
    used = {right for key, answer in REGISTRY.items() if key not in OF_TOKENS for right in answer.requires}
    assert used <= tried


@pytest.mark.parametrize("row", [row.title for row in ROWS])
def test_penstock_refuses_whom_kafka_refuses(row: str, kafka_played: Played, penstock_played: Played) -> None:
    kafka, ours = kafka_played[row], penstock_played[row]
    differing = {user: (kafka[user], ours[user]) for user in kafka if kafka[user] != ours[user]}
    assert (row in DIFFERENCES) == bool(differing), differing


def test_who_has_no_right_is_refused_and_the_super_user_is_not(penstock_played: Played) -> None:
    guarded = {
        row.title for row in ROWS if REGISTRY[key_of(row.api)].requires != NOTHING and row.title not in FOR_ANYBODY
    }
    indifferent = {row for row in guarded if penstock_played[row]["nobody"] == penstock_played[row][SUPER_USER]}
    assert indifferent <= {row.title for row in ROWS if row.name == "by an id of nobody"}
    refused = {row: played[SUPER_USER] for row, played in penstock_played.items() if "no " in played[SUPER_USER]}
    assert not refused


def test_what_is_there_and_what_is_not_look_alike_to_who_may_not_see_it(penstock_played: Played) -> None:
    there = [row for row in ROWS if row.name == "there"]
    assert there
    for row in there:
        missing = row.title.replace("there", "missing")
        if missing in penstock_played:
            assert penstock_played[row.title]["nobody"] == penstock_played[missing]["nobody"]
