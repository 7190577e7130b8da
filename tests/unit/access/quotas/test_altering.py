from collections.abc import Mapping

import pytest

from penstock.access.quotas.altering import Alteration, decide, quotas_in
from penstock.access.quotas.entities import Entity, entity, entity_of, entry_name
from penstock.cluster import Entry
from penstock.errors import InvalidRequest, Refusal
from penstock.metastore import Revision

ANNA = entity([("user", "anna")])
ANNAS_APP = entity([("user", "anna"), ("client-id", "app")])
RATE = ("producer_byte_rate", 1000.0)


def entries(**quotas: bytes) -> dict[str, Entry]:
    return {name: Entry(value, Revision(1)) for name, value in quotas.items()}


def outcome_of(there: Mapping[str, Entry], *wanted: Alteration) -> tuple[list[Refusal | None], dict[str, object]]:
    change = decide(there, wanted)
    changed: dict[str, object] = {name: quotas_in(value) for name, value in change.puts.items()}
    return list(change.reply.values()), changed | dict.fromkeys(change.deletes)


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ([("user", "anna")], "user=anna"),
        ([("user", None)], "user"),
        ([("user", "a=b&c"), ("client-id", None)], "client-id&user=a%3Db%26c"),
        ([("client-id", "ä/b"), ("user", "anna")], "client-id=%C3%A4%2Fb&user=anna"),
        ([("ip", "::1")], "ip=%3A%3A1"),
    ],
)
def test_an_entity_is_told_from_its_entrys_name(parts: list[tuple[str, str | None]], name: str) -> None:
    assert entry_name(entity(parts)) == name
    assert entity_of(name) == entity(parts)


def test_a_limit_is_set_beside_others() -> None:
    there = entries(**{"user=anna": b'{"consumer_byte_rate": 5.0}'})
    outcomes, changed = outcome_of(there, Alteration(ANNA, [RATE]))
    assert outcomes == [None]
    assert changed == {"user=anna": {"consumer_byte_rate": 5.0, "producer_byte_rate": 1000.0}}


def test_an_entity_without_limits_is_gone() -> None:
    there = entries(**{"user=anna": b'{"consumer_byte_rate": 5.0}'})
    assert outcome_of(there, Alteration(ANNA, [("consumer_byte_rate", None)])) == ([None], {"user=anna": None})


def test_what_changes_nothing_writes_nothing() -> None:
    there = entries(**{"user=anna": b'{"producer_byte_rate": 1000.0}'})
    wanted = [Alteration(ANNA, [RATE]), Alteration(ANNAS_APP, [("request_percentage", None)])]
    assert outcome_of(there, *wanted) == ([None, None], {})


def test_one_that_is_refused_leaves_the_others() -> None:
    outcomes, changed = outcome_of({}, Alteration(ANNA, [("speed", 1.0)]), Alteration(ANNAS_APP, [RATE]))
    assert isinstance(outcomes[0], InvalidRequest)
    assert outcomes[1] is None
    assert list(changed) == ["client-id=app&user=anna"]


def test_of_an_entity_that_comes_twice_the_first_counts() -> None:
    outcomes, changed = outcome_of({}, Alteration(ANNA, [RATE]), Alteration(ANNA, [("producer_byte_rate", 7.0)]))
    assert [type(outcome) for outcome in outcomes] == [InvalidRequest]
    assert changed == {"user=anna": {"producer_byte_rate": 1000.0}}


@pytest.mark.parametrize(
    ("parts", "limits"),
    [
        ([], [RATE]),
        ([("team", "x")], [RATE]),
        ([("user", "")], [RATE]),
        ([("user", "anna")], [("connection_creation_rate", 5.0)]),
        ([("user", "anna")], [("stored_bytes", 5.0)]),
        ([("user", "anna")], [("producer_byte_rate", 0.0)]),
        ([("user", "anna")], [("producer_byte_rate", -1.0)]),
        ([("user", "anna")], [("producer_byte_rate", float("nan"))]),
        ([("user", "anna")], [("request_percentage", float("inf"))]),
        ([("user", "anna")], [("producer_byte_rate", 1.5)]),
        ([("user", "anna")], [("producer_byte_rate", 1e19)]),
        ([("user", "anna")], [RATE, RATE]),
        ([("ip", "10.0.0.1")], [RATE]),
        ([("ip", "10.0.0.1")], [("connection_creation_rate", 2.0**31)]),
        ([("ip", "no address")], [("connection_creation_rate", 5.0)]),
        ([("ip", "10.0.0.1"), ("user", "anna")], [("connection_creation_rate", 5.0)]),
        ([("tenant", None)], [("stored_bytes", 5.0)]),
        ([("tenant", "acme."), ("user", "anna")], [("stored_bytes", 5.0)]),
        ([("tenant", "acme.")], [("request_percentage", 5.0)]),
    ],
)
def test_what_cannot_be_is_refused(parts: list[tuple[str, str | None]], limits: list[tuple[str, float]]) -> None:
    outcomes, changed = outcome_of({}, Alteration(entity(parts), limits))
    assert [type(outcome) for outcome in outcomes] == [InvalidRequest]
    assert not changed


@pytest.mark.parametrize(
    ("whom", "limits"),
    [
        (entity([("ip", None)]), [("connection_creation_rate", 5.0)]),
        (entity([("ip", "::1")]), [("connection_creation_rate", 2.0**31 - 1)]),
        (entity([("user", None), ("client-id", None)]), [("request_percentage", 0.5), RATE]),
        (entity([("tenant", "acme.")]), [("stored_bytes", 5.0), ("partitions", 3.0), ("connections", 2.0), RATE]),
    ],
)
def test_what_can_be_is_taken(whom: Entity, limits: list[tuple[str, float]]) -> None:
    assert outcome_of({}, Alteration(whom, limits)) == ([None], {entry_name(whom): dict(limits)})
