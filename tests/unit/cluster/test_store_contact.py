"""How long the store may be out of reach, and what follows from it."""

from tests.support.clocks import ManualClock

from penstock.cluster.membership.store_contact import StoreContact


def test_whoever_has_not_renewed_its_lease_for_as_long_as_it_lasts_is_cut_off() -> None:
    clock = ManualClock()
    contact = StoreContact(clock, lease_ms=3_000)
    seen = []
    for pause_ms in (2_500, 2_500, 3_001, 2_500):
        clock.advance(pause_ms)
        seen.append((contact.is_cut_off, contact.is_lost))
        contact.found()
    # Nobody has told it that the store does not answer: its own process may have stood still.
    assert seen == [(False, False), (False, False), (True, False), (False, False)]


def test_after_a_long_absence_nobody_is_declared_lost_for_a_lease_time() -> None:
    clock = ManualClock()
    contact = StoreContact(clock, lease_ms=3_000)
    contact.lost()
    clock.advance(1_400)
    contact.found()
    assert contact.patience_left_s == 0, "too short for anybody to have lost a lease"
    contact.lost()
    clock.advance(1_600)
    contact.found()
    assert contact.patience_left_s == 3
    clock.advance(3_001)
    assert contact.patience_left_s == 0
