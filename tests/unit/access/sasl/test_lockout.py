"""Guessing ends, and harms nobody else."""

from penstock.access.sasl.lockout import TRACKED_MAX, Lockout


def fail(lockout: Lockout, user: str = "me", host: str = "there", *, now_ms: float = 0, times: int = 3) -> None:
    for _ in range(times):
        lockout.failed(user, host, now_ms=now_ms, failures_max=3, lockout_ms=1_000)


def locked(lockout: Lockout, user: str = "me", host: str = "there", *, now_ms: float = 0) -> bool:
    return lockout.is_locked(user, host, now_ms=now_ms, failures_max=3, lockout_ms=1_000)


def test_too_many_failures_lock_that_name_out_from_there() -> None:
    lockout = Lockout()
    fail(lockout, times=2)
    assert not locked(lockout)
    fail(lockout, times=1)
    assert locked(lockout)
    assert not locked(lockout, "you") and not locked(lockout, host="elsewhere")


def test_it_ends_and_failing_meanwhile_does_not_make_it_longer() -> None:
    lockout = Lockout()
    fail(lockout)
    fail(lockout, now_ms=900, times=50)
    assert locked(lockout, now_ms=999) and not locked(lockout, now_ms=1_000)
    fail(lockout, now_ms=1_000, times=1)
    assert not locked(lockout, now_ms=1_000)


def test_a_login_and_time_forgive() -> None:
    lockout = Lockout()
    fail(lockout, times=2)
    lockout.succeeded("me", "there")
    fail(lockout, times=2)
    assert not locked(lockout)
    fail(lockout, now_ms=5_000, times=1)
    assert not locked(lockout, now_ms=5_000)


def test_what_is_remembered_has_an_end() -> None:
    lockout = Lockout()
    for number in range(TRACKED_MAX + 5):
        fail(lockout, f"user-{number}", times=1)
    assert len(lockout) == TRACKED_MAX


def test_nobody_is_locked_out_where_it_lasts_no_time() -> None:
    lockout = Lockout()
    for _ in range(10):
        lockout.failed("me", "there", now_ms=0, failures_max=3, lockout_ms=0)
    assert not lockout.is_locked("me", "there", now_ms=0, failures_max=3, lockout_ms=0)


def test_addresses_of_one_ipv6_network_count_together_and_those_of_ipv4_do_not() -> None:
    lockout = Lockout()
    for number in range(3):
        fail(lockout, host=f"2001:db8::{number}", times=1)
    assert locked(lockout, host="2001:db8::ffff") and not locked(lockout, host="2001:db8:0:1::1")
    lockout.succeeded("me", "2001:db8::9")
    assert not locked(lockout, host="2001:db8::1")
    fail(lockout, host="::ffff:10.0.0.1")
    assert locked(lockout, host="::ffff:10.0.0.1") and not locked(lockout, host="::ffff:10.0.0.2")
    fail(lockout, host="10.0.0.1")
    assert not locked(lockout, host="10.0.0.2")
