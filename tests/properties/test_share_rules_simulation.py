"""Back-off, wide windows and order by key, over moved leaders, failed writes and clocks that are set; see
tests/support/share_play.py for what is looked at after each step.
"""

import pytest
from tests.support.share_play import BACKOFF, Play

from penstock.delivery.shares import room
from penstock.delivery.shares.bugs import HoldingBugs
from penstock.delivery.shares.rules import ShareRules

STEPS = 150
SEEDS = 40
BUG_SEEDS = 150
RANGES_MAX = 24

LIMITS = {"lock_ms": 10_000, "delivery_limit": 4, "locks_max": 10, "window_max": 60}
SETTINGS = {
    "back-off": ShareRules(backoff=BACKOFF, **LIMITS),  # type: ignore[arg-type]
    "key": ShareRules(by_key=True, **LIMITS),  # type: ignore[arg-type]
    "both": ShareRules(backoff=BACKOFF, by_key=True, **LIMITS),  # type: ignore[arg-type]
    "dead letters too": ShareRules(backoff=BACKOFF, by_key=True, dead_letter_topic="dlq.jobs", **LIMITS),  # type: ignore[arg-type]
}


@pytest.fixture(autouse=True)
def few_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "RANGES_MAX", RANGES_MAX)


@pytest.mark.parametrize("rules", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_waits_and_turns_are_kept_whatever_fails(seed: int, rules: ShareRules) -> None:
    Play(seed, rules, RANGES_MAX).run(STEPS)


def test_what_is_rare_is_dealt_out() -> None:
    plays = [Play(seed, SETTINGS["both"], RANGES_MAX) for seed in range(SEEDS)]
    for play in plays:
        play.run(STEPS)
    rare = {"blocked", "waiting", "wide", "many ranges", "keys unknown", "waits of a former leader"}
    assert set().union(*(play.watch.seen for play in plays)) == rare


@pytest.mark.parametrize("bug", HoldingBugs.__struct_fields__)
def test_a_planted_bug_is_found(bug: str) -> None:
    rules = SETTINGS["key" if bug == "ends_keys_early" else "both"]

    def is_found(seed: int) -> bool:
        try:
            Play(seed, rules, RANGES_MAX, HoldingBugs(**{bug: True})).run(STEPS)
        except AssertionError:
            return True
        return False

    assert any(is_found(seed) for seed in range(BUG_SEEDS)), f"not in {BUG_SEEDS} seeds"
