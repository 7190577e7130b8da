"""DescribeClientQuotas and AlterClientQuotas: what is taken, what is refused, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.conformance.table import Ask, Body, Given, Until, situation

EXACT, DEFAULT, ANY = 0, 1, 2
ANNA = {"user": "$anna"}


def altered(entity: Mapping[str, str | None], *, validate_only: bool = False, **limits: float | None) -> Body:
    return {"entries": [entry(entity, **limits)], "validate_only": validate_only}


def entry(entity: Mapping[str, str | None], **limits: float | None) -> dict[str, Any]:
    return {
        "entity": [{"entity_type": type_, "entity_name": name} for type_, name in entity.items()],
        "ops": [
            {"key": key, "value": 0.0 if limit is None else limit, "remove": limit is None}
            for key, limit in limits.items()
        ],
    }


def filtered(*components: tuple[str, int, str | None], strict: bool = False) -> Body:
    return {
        "components": [{"entity_type": type_, "match_type": match, "match": name} for type_, match, name in components],
        "strict": strict,
    }


def altering(name: str, *asked: Body) -> Any:
    return situation("AlterClientQuotas", name, *(Ask(body) for body in asked))


ALTER = [
    altering("a user's", altered(ANNA, producer_byte_rate=1000.0, request_percentage=50.0)),
    altering("a user's with a client id", altered({"user": "$anna", "client-id": None}, consumer_byte_rate=1000.0)),
    altering("an address's", altered({"ip": "192.0.2.7"}, connection_creation_rate=10000.0)),
    altering("only to see", altered(ANNA, validate_only=True, producer_byte_rate=1000.0)),
    altering("only to see what cannot be", altered(ANNA, validate_only=True, speed=1000.0)),
    altering("none of which is there", altered(ANNA, producer_byte_rate=None)),
    altering("a key that does not exist taken away", altered(ANNA, speed=None)),
    altering("nothing of a user", altered(ANNA)),
    altering("nothing at all", {"entries": [], "validate_only": False}),
    altering("a key that does not exist", altered(ANNA, speed=1.0)),
    altering("an address's key of a user", altered(ANNA, connection_creation_rate=1.0)),
    altering("a user's key of an address", altered({"ip": "192.0.2.7"}, producer_byte_rate=1.0)),
    altering("zero", altered(ANNA, producer_byte_rate=0.0)),
    altering("below zero", altered(ANNA, request_percentage=-1.0)),
    altering("half a byte", altered(ANNA, producer_byte_rate=1000.5)),
    altering("half a percent", altered(ANNA, request_percentage=0.5)),
    altering("more than fits", altered(ANNA, producer_byte_rate=1e19)),
    altering("more connections than fit", altered({"ip": "192.0.2.7"}, connection_creation_rate=2.0**31)),
    altering("of nobody", altered({}, producer_byte_rate=1.0)),
    altering("of an empty name", altered({"user": ""}, producer_byte_rate=1.0)),
    altering("of a kind that does not exist", altered({"team": "$anna"}, producer_byte_rate=1.0)),
    altering("of a user at an address", altered({"user": "$anna", "ip": "192.0.2.7"}, connection_creation_rate=1.0)),
    altering("of no address", altered({"ip": "no address"}, connection_creation_rate=1.0)),
    altering(
        "an entity twice",
        {"entries": [entry(ANNA, producer_byte_rate=1.0), entry(ANNA, producer_byte_rate=2.0)], "validate_only": False},
    ),
    altering(
        "one good and one bad",
        {
            "entries": [entry(ANNA, producer_byte_rate=1.0), entry({"user": "$bert"}, speed=2.0)],
            "validate_only": False,
        },
    ),
]


def describing(name: str, *components: tuple[str, int, str | None], strict: bool = False) -> Any:
    quotas = [
        entry(ANNA, producer_byte_rate=1000.0, request_percentage=0.5),
        entry({"user": "$anna", "client-id": "$app"}, consumer_byte_rate=2000.0),
        entry({"user": "$anna", "client-id": None}, controller_mutation_rate=3.0),
    ]
    return situation(
        "DescribeClientQuotas",
        name,
        Given("AlterClientQuotas", 1, {"entries": quotas, "validate_only": False}),
        Until(
            "DescribeClientQuotas", 1, filtered(("user", EXACT, "$anna")), lambda answer: len(answer["entries"]) == 3
        ),
        Ask(filtered(*components, strict=strict)),
    )


DESCRIBE = [
    describing("a user's", ("user", EXACT, "$anna"), strict=True),
    describing("a user's with a client id", ("user", EXACT, "$anna"), ("client-id", EXACT, "$app")),
    describing("a user's with the default client id", ("user", EXACT, "$anna"), ("client-id", DEFAULT, None)),
    describing("of nobody", ("user", EXACT, "$missing")),
    describing("of an empty kind", ("", EXACT, "$anna")),
    describing("of a kind that does not exist", ("team", EXACT, "$anna")),
    describing("a kind twice", ("user", EXACT, "$anna"), ("user", ANY, None)),
    describing("exactly nobody", ("user", EXACT, None)),
    describing("a default with a name", ("user", DEFAULT, "$anna")),
    describing("any with a name", ("user", ANY, "$anna")),
    describing("a match that does not exist", ("user", 7, None)),
    describing("an address of a user", ("user", EXACT, "$anna"), ("ip", EXACT, "192.0.2.7")),
]

SITUATIONS = [*ALTER, *DESCRIBE]
