"""Back-off of share groups: who waits, for how long, and what another leader knows of it."""

import pytest

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares.acquiring import Acquired, BatchSpan, Wanted
from penstock.delivery.shares.backoff import STEPS, Backoff
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import ARCHIVED, AVAILABLE, Step
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, RELEASE, Said
from penstock.delivery.shares.time_to_live import give_up

EXACTLY = Backoff(1_000, multiplier=2.0, max_ms=5_000, jitter=0.0)
RULES = ShareRules(backoff=EXACTLY, lock_ms=10_000, delivery_limit=5)
NOW, WALL_MS = 100.0, 1_700_000_000_000
LATE = 1 / STEPS
"""By what part of itself a wait may be longer than it should."""


def begun(*batches: StateBatch, wall_ms: int = WALL_MS, rules: ShareRules = RULES) -> SharePartitionMachine:
    return SharePartitionMachine(ShareState(0, 0, batches), start_offset=0, rules=rules, now=NOW, wall_ms=wall_ms)


def take(machine: SharePartitionMachine, *, now: float, records: int = 10, rules: ShareRules = RULES) -> list[int]:
    """Offsets of the first ten records that a member is given."""
    machine.end_waits(now)
    asked = machine.read_from(rules)
    if asked is None or asked >= records:
        return []
    read = [BatchSpan(asked, records - 1)]
    found = machine.acquire(Wanted("m", records), rules, now=now, asked_from=asked, batches=read)
    return [offset for row in found for offset in range(row.first, row.last + 1)]


def say(machine: SharePartitionMachine, offset: int, how: int, *, now: float, rules: ShareRules = RULES) -> Step:
    step = machine.acknowledge("m", [Said(offset, offset, [how])], rules, now)
    machine.commit(step)
    return step


def test_a_released_record_waits_and_each_time_longer() -> None:
    machine, now = begun(), NOW
    assert take(machine, now=now, records=1) == [0]
    for wait_s in (1.0, 2.0, 4.0, 5.0):
        say(machine, 0, RELEASE, now=now)
        assert take(machine, now=now + wait_s - 0.001, records=1) == []
        now += wait_s * (1 + LATE)
        assert take(machine, now=now, records=1) == [0]
    step = say(machine, 0, RELEASE, now=now)
    assert step.rows == [(0, 0, ARCHIVED, 5, 0.0)], "it was tried often enough"


def test_others_do_not_wait_for_it() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=3) == [0, 1, 2]
    say(machine, 1, RELEASE, now=NOW)
    assert take(machine, now=NOW, records=5) == [3, 4]
    assert machine.window.backing_off == 1


def test_a_record_whose_lock_ended_waits() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=2) == [0, 1]
    ended = NOW + RULES.lock_s
    step, count = machine.expire(RULES, ended)
    (row,) = step.rows
    assert (count, row[:4]) == (2, (0, 1, AVAILABLE, 1))
    assert ended + 1.0 <= row[4] <= ended + 1.0 + LATE, "and until when is written"
    assert take(machine, now=ended, records=2) == []
    assert machine.next_deadline == row[4]
    assert take(machine, now=row[4], records=2) == [0, 1]


def test_what_a_member_had_that_left_does_not_wait() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=2) == [0, 1]
    step = machine.release("m", RULES, NOW)
    machine.commit(step)
    assert step.rows == [(0, 1, AVAILABLE, 1, 0.0)]
    assert take(machine, now=NOW, records=2) == [0, 1]


def test_what_it_gives_back_while_it_leaves_does_not_wait() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=1) == [0]
    say(machine, 0, RELEASE, now=NOW, rules=RULES.without_waits)
    assert take(machine, now=NOW, records=1) == [0]


def test_what_was_with_a_member_when_the_leader_changed_does_not_wait() -> None:
    """Of what was given out and not answered nothing is kept; of a record before it that it was tried."""
    machine = begun(StateBatch(1, 1, AVAILABLE, 1))
    assert take(machine, now=NOW, records=2) == [0, 1]


def test_a_wait_ends_at_the_same_time_at_another_leader() -> None:
    machine = begun(StateBatch(0, 0, AVAILABLE, 1, WALL_MS + 700), StateBatch(1, 1, AVAILABLE, 1, WALL_MS - 1))
    assert take(machine, now=NOW, records=2) == [1]
    assert machine.next_deadline == NOW + 0.7
    assert take(machine, now=NOW + 0.699, records=1) == []
    assert take(machine, now=NOW + 0.701, records=1) == [0]


@pytest.mark.parametrize(("set_by_ms", "longest_s"), [(-3_600_000, 5.0 * (1 + LATE)), (3_600_000, 0.0)])
def test_a_clock_that_was_set_makes_no_wait_longer_than_the_longest(set_by_ms: int, longest_s: float) -> None:
    machine = begun(StateBatch(0, 0, AVAILABLE, 1, WALL_MS + 700), wall_ms=WALL_MS + set_by_ms)
    assert take(machine, now=NOW + longest_s, records=1) == [0]
    if longest_s:
        assert take(begun(StateBatch(0, 0, AVAILABLE, 1, WALL_MS + 700)), now=NOW + 0.6, records=1) == []


def test_a_release_that_could_not_be_written_begins_no_wait() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=1) == [0]
    step = machine.acknowledge("m", [Said(0, 0, [RELEASE])], RULES, NOW)
    machine.undo(step, RULES, NOW)
    say(machine, 0, ACCEPT, now=NOW)
    machine.end_waits(NOW + 60)
    assert (machine.start_offset, machine.window.backing_off) == (1, 0)


def test_an_expired_record_whose_giving_up_could_not_be_written_does_not_wait() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=1) == [0]
    _, step = give_up(machine.window, [Acquired(0, 0, 1)], [0], RULES)
    machine.undo(step, RULES, NOW)
    assert take(machine, now=NOW, records=1) == [0]


def test_a_wait_that_is_over_before_it_is_written_is_over() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=1) == [0]
    step = machine.acknowledge("m", [Said(0, 0, [RELEASE])], RULES, NOW)
    assert take(machine, now=NOW + 2, records=1) == [], "nobody has written yet that it came back"
    machine.commit(step)
    assert take(machine, now=NOW + 2, records=1) == [0]


def test_a_back_off_that_is_turned_off_ends_waits() -> None:
    machine = begun()
    assert take(machine, now=NOW, records=1) == [0]
    say(machine, 0, RELEASE, now=NOW)
    assert take(machine, now=NOW, records=1, rules=ShareRules()) == [0]


def test_waits_differ_by_the_jitter_and_stay_below_the_longest() -> None:
    backoff = Backoff(1_000, multiplier=10.0, max_ms=9_000, jitter=0.2)
    waits = [backoff.wait_s(1, seed) for seed in range(500)]
    assert 0.8 <= min(waits) < 0.82 and 1.18 < max(waits) <= 1.2
    assert len(set(waits)) == 500
    assert {backoff.wait_s(50, seed) for seed in range(500)} == {9.0}


def test_records_given_back_one_after_the_other_are_one_range() -> None:
    """They were given out together and wait about as long: no reason to keep a row for each."""
    machine = begun()
    assert take(machine, now=NOW, records=10) == list(range(10))
    for offset in range(10):
        say(machine, offset, RELEASE, now=NOW + offset * 0.001)
    assert len(machine.window.ranges) <= 2
