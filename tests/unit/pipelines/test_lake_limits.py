"""A run that would divert a topic to dead letters stops and asks."""

from __future__ import annotations

import pytest

from penstock.pipelines.jobs.lake.limits import DeadLetterLimit
from penstock.pipelines.problems import PipelineProblem

WHY = "does not fit the schema: id is no BIGINT"


def a_limit(percent: float = 1.0) -> DeadLetterLimit:
    return DeadLetterLimit("lake.shop.orders", percent)


@pytest.mark.parametrize(("good", "dead"), [(990, 10), (999, 0), (0, 999), (1, 998), (100_000, 1_000)])
def test_few_dead_letters_or_few_rows_go_through(good: int, dead: int) -> None:
    a_limit().check({None: good, WHY: dead})


@pytest.mark.parametrize(("good", "dead"), [(989, 11), (1, 1_000), (0, 1_000), (98_000, 2_000)])
def test_more_than_the_share_is_refused(good: int, dead: int) -> None:
    with pytest.raises(PipelineProblem, match="are allowed"):
        a_limit().check({None: good, WHY: dead})


def test_what_was_seen_and_how_to_go_on_is_said() -> None:
    with pytest.raises(PipelineProblem) as refused:
        a_limit().check({None: 1, WHY: 990, "not JSON": 10, "a": 2, "b": 1})
    assert refused.value.message == (
        "1,003 of 1,004 rows of a batch would be dead letters of lake.shop.orders, 99.9%; 1 % are allowed"
    )
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(f"Why: {WHY} (990); not JSON (10); a (2); and 1 other reason.\n")
    assert "Nothing of this batch was committed" in refused.value.hint
    assert "--max-dead-letters" in refused.value.hint


def test_small_batches_are_judged_with_those_before_them() -> None:
    limit = a_limit()
    for _ in range(9):
        limit.check({None: 98, WHY: 2})
        limit.landed(100, 2)
    with pytest.raises(PipelineProblem, match="20 of 1,000 rows of a batch with the 900 rows before it"):
        limit.check({None: 98, WHY: 2})
    limit.check({None: 100})


def test_one_bad_record_among_many_small_batches_stops_nothing() -> None:
    limit = a_limit()
    for number in range(300):
        dead = int(number % 20 == 0)
        limit.check({None: 10 - dead, WHY: dead})
        limit.landed(10, dead)


def test_a_good_past_does_not_pay_for_a_bad_batch() -> None:
    limit = a_limit()
    limit.landed(1_000_000, 0)
    with pytest.raises(PipelineProblem, match="100 of 1,000 rows"):
        limit.check({None: 900, WHY: 100})


def test_a_limit_of_a_hundred_percent_is_none() -> None:
    assert a_limit(100).is_off and not a_limit(99).is_off
    a_limit(100).check({WHY: 5_000})
    with pytest.raises(PipelineProblem, match="0 % are allowed"):
        a_limit(0).check({None: 5_000, WHY: 1})
