"""The fuzzer's targets take their own seeds, and those with a byte changed: what a run finds is new."""

import random

import pytest
from tools.fuzz import NAMES, Target, targets


@pytest.fixture(scope="module")
def made() -> dict[str, Target]:
    return targets()


@pytest.mark.parametrize("name", NAMES)
def test_a_target_takes_what_it_begins_with_and_that_damaged(made: dict[str, Target], name: str) -> None:
    dice = random.Random(name)
    target = made[name]
    seeds = list(target.seeds())
    assert seeds
    for seed in seeds:
        target.feed(seed)
        for _ in range(10):
            damaged = bytearray(seed or b"\0")
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            target.feed(bytes(damaged[: dice.randrange(len(damaged) + 1)]))
            target.feed(bytes(damaged))


def test_a_login_with_the_password_is_what_the_target_watches_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.access.sasl import scram
    from penstock.access.sasl.steps import Proved

    monkeypatch.setattr(scram.ScramExchange, "_last", lambda *_: Proved("alice", b""))
    target = targets()["login"]
    with pytest.raises(AssertionError, match="in without the password"):
        for seed in target.seeds():
            target.feed(seed)
