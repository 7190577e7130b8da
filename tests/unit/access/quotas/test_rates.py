"""Kafka's arithmetic, in a time that the tests say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.access.quotas.rates import TokenBucket, WindowedRate


def test_a_burst_at_the_start_counts_as_spread_over_all_windows_but_one() -> None:
    rate = WindowedRate(11, 1.0)
    rate.record(2_000, now=100.0)
    assert rate.rate(now=100.0) == 200.0
    assert rate.delay_s(100, now=100.0) == 10.0
    assert rate.delay_s(200, now=100.0) == 0.0


def test_what_was_used_early_counts_until_all_windows_have_passed() -> None:
    rate = WindowedRate(11, 1.0)
    for second in range(8):
        rate.record(1_000, now=100.0 + second)
    assert rate.delay_s(600, now=107.0) == pytest.approx(8_000 / 600 - 10)
    assert rate.delay_s(600, now=110.5) == pytest.approx(8_000 / 600 - 10.5)
    assert rate.delay_s(600, now=113.0) == 0.0  # three windows are forgotten


def test_what_is_older_than_all_windows_is_forgotten() -> None:
    rate = WindowedRate(11, 1.0)
    rate.record(5_000, now=100.0)
    assert not rate.is_empty(now=110.9)
    assert rate.is_empty(now=111.0)
    assert rate.rate(now=111.0) == 0.0


def test_what_was_not_used_is_taken_back() -> None:
    rate = WindowedRate(11, 1.0)
    rate.record(500, now=100.0)
    rate.record(4_000, now=100.5)
    rate.take_back(4_000)
    assert rate.rate(now=100.5) == pytest.approx(500 / 10.5)


@given(st.lists(st.floats(1, 50_000), min_size=1, max_size=300), st.floats(100, 5_000))
def test_whoever_waits_as_long_as_told_has_at_most_twice_the_limit(amounts: list[float], limit: float) -> None:
    """Each time all is forgotten, all windows but one are given again: so it is in Kafka."""
    rate, now, used = WindowedRate(11, 1.0), 0.0, 0.0
    for amount in amounts:
        rate.record(amount, now)
        used += amount
        now += rate.delay_s(limit, now)
        assert used <= 2 * limit * (now + 11) + max(amounts)


@pytest.mark.parametrize("every_s", [0.001, 0.05, 0.9])
def test_a_steady_client_is_held_to_its_limit(every_s: float) -> None:
    rate, now, used, limit = WindowedRate(11, 1.0), 0.0, 0.0, 1_000.0
    while now < 600:
        rate.record(2_000 * every_s, now)
        used += 2_000 * every_s
        now += every_s + rate.delay_s(limit, now)
    assert limit * 540 <= used <= limit * 660


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    bucket = TokenBucket(burst_s=11)
    bucket.take(22, rate=2, now=100.0)
    assert bucket.delay_s(rate=2, now=100.0) == 0.0
    bucket.take(3, rate=2, now=100.0)
    assert bucket.delay_s(rate=2, now=100.0) == 1.5
    assert bucket.delay_s(rate=2, now=101.5) == 0.0


def test_a_bucket_that_was_let_be_is_full_and_no_more() -> None:
    bucket = TokenBucket(burst_s=11)
    bucket.take(22, rate=2, now=0.0)
    bucket.take(22, rate=2, now=1_000.0)
    bucket.take(1, rate=2, now=1_000.0)
    assert bucket.delay_s(rate=2, now=1_000.0) == 0.5
