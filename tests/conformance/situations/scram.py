"""DescribeUserScramCredentials and AlterUserScramCredentials: what is taken, what is refused, and how."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Given, situation

SHA_256, SHA_512 = 1, 2
SALTED = {SHA_256: bytes(32), SHA_512: bytes(64)}


def put(name: str, mechanism: int = SHA_256, *, iterations: int = 4096) -> dict[str, Any]:
    return {
        "name": name,
        "mechanism": mechanism,
        "iterations": iterations,
        "salt": b"a pinch",
        "salted_password": SALTED.get(mechanism, bytes(32)),
    }


def gone(name: str, mechanism: int = SHA_256) -> dict[str, Any]:
    return {"name": name, "mechanism": mechanism}


def altered(*upsertions: dict[str, Any], deletions: tuple[dict[str, Any], ...] = ()) -> Body:
    return {"deletions": list(deletions), "upsertions": list(upsertions)}


def described(*names: str) -> Body:
    return {"users": [{"name": name} for name in names]}


def altering(name: str, *asked: Body) -> Any:
    return situation("AlterUserScramCredentials", name, *(Ask(body) for body in asked))


THERE = Given("AlterUserScramCredentials", 0, altered(put("$anna"), put("$bert", SHA_512, iterations=8192)))

SITUATIONS = [
    altering("a new user's", altered(put("$anna"))),
    altering("another password", altered(put("$anna")), altered(put("$anna", iterations=5000))),
    altering("both mechanisms, one after the other", altered(put("$anna")), altered(put("$anna", SHA_512))),
    altering("both mechanisms at once", altered(put("$anna"), put("$anna", SHA_512))),
    altering("one taken away", altered(put("$anna")), altered(deletions=(gone("$anna"),))),
    altering("put and taken away at once", altered(put("$anna"), deletions=(gone("$anna", SHA_512),))),
    altering("taken away twice at once", altered(deletions=(gone("$anna"), gone("$anna")))),
    altering("one that is not there taken away", altered(deletions=(gone("$anna"),))),
    altering("the other mechanism taken away", altered(put("$anna")), altered(deletions=(gone("$anna", SHA_512),))),
    altering("too few iterations", altered(put("$anna", iterations=4095))),
    altering("the most iterations", altered(put("$anna", iterations=16384))),
    altering("too many iterations", altered(put("$anna", iterations=16385))),
    altering("a mechanism that does not exist", altered(put("$anna", 9))),
    altering("a mechanism that does not exist taken away", altered(deletions=(gone("$anna", 0),))),
    altering("of no name", altered(put(""))),
    altering("one good and one bad", altered(put("$anna"), put("$bert", iterations=1))),
    altering("nothing", altered()),
    situation("DescribeUserScramCredentials", "two users", THERE, described("$anna", "$bert")),
    situation("DescribeUserScramCredentials", "one that does not exist", described("$anna")),
    situation("DescribeUserScramCredentials", "one twice", THERE, described("$anna", "$anna")),
    situation("DescribeUserScramCredentials", "of no name", described("")),
]
