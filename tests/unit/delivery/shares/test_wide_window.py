"""The window of a group with a back-off or an order: how far it spans, and what bounds it."""

import pytest

from penstock.coordinators.shares.states import ShareState
from penstock.delivery.shares import room
from penstock.delivery.shares.acquiring import BatchSpan, Wanted
from penstock.delivery.shares.backoff import Backoff
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import ACKNOWLEDGED
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, RELEASE, Said

BACKOFF = Backoff(60_000, jitter=0.0)
WIDE = ShareRules(backoff=BACKOFF, locks_max=100, window_max=1_000, delivery_limit=5)


def begun(rules: ShareRules = WIDE) -> SharePartitionMachine:
    return SharePartitionMachine(ShareState(0, 0), start_offset=0, rules=rules)


def take(machine: SharePartitionMachine, rules: ShareRules, *, most: int = 10, batch: int = 10) -> list[int]:
    asked = machine.read_from(rules)
    if asked is None:
        return []
    wanted = Wanted("m", most)
    until = machine.useful_until(asked, wanted, rules)
    firsts = range(asked // batch * batch, until + 1, batch)
    read = [BatchSpan(first, first + batch - 1) for first in firsts]
    found = machine.acquire(wanted, rules, now=0.0, asked_from=asked, batches=read)
    return [offset for row in found for offset in range(row.first, row.last + 1)]


def say(machine: SharePartitionMachine, offsets: list[int], how: int, rules: ShareRules = WIDE, at: float = 0) -> None:
    machine.commit(machine.acknowledge("m", [Said(each, each, [how]) for each in offsets], rules, at))


def test_a_record_that_waits_stops_nobody() -> None:
    machine, seen = begun(), 0
    while offsets := take(machine, WIDE):
        say(machine, offsets[:1], RELEASE)
        say(machine, offsets[1:], ACCEPT)
        seen += len(offsets)
    assert (seen, machine.window.span, machine.window.backing_off) == (1_000, 1_000, 100)


def test_without_a_back_off_the_locks_bound_the_span() -> None:
    rules = ShareRules(locks_max=100, window_max=1_000)
    machine = begun(rules)
    held = take(machine, rules)
    while offsets := take(machine, rules):
        say(machine, offsets, ACCEPT, rules)
    assert (held[0], machine.window.span) == (0, 100)


def test_members_have_no_more_than_the_locks_even_of_large_batches() -> None:
    machine = begun()
    assert len(take(machine, WIDE, most=80, batch=80)) == 80
    assert len(take(machine, WIDE, most=80, batch=80)) == 20
    assert take(machine, WIDE) == [] and machine.read_from(WIDE) is None


def test_what_is_kept_of_a_window_has_no_more_rows_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "RANGES_MAX", 50)
    rules = ShareRules(backoff=BACKOFF, locks_max=20, window_max=100_000)
    machine, at = begun(rules), 0.0
    while offsets := take(machine, rules, most=4, batch=4):
        for each in offsets:
            at += 10.0  # so late that it is a range of its own
            say(machine, [each], RELEASE, rules, at)
    assert 40 <= len(machine.window.ranges) <= 50


def test_with_too_many_ranges_what_came_back_is_still_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "RANGES_MAX", 50)
    rules = ShareRules(backoff=BACKOFF, locks_max=20, window_max=100_000)
    machine, at = begun(rules), 0.0
    while offsets := take(machine, rules, most=4, batch=4):
        for each in offsets:
            at += 10.0
            say(machine, [each], RELEASE, rules, at)
    machine.end_waits(at + 600)
    again = take(machine, rules, most=4, batch=4)
    assert again
    say(machine, again, ACCEPT, rules)
    assert len(machine.window.ranges) <= 50


def test_what_is_done_is_one_row_however_often_it_was_delivered() -> None:
    """Each delivery count a row of its own, a window of 100,000 could not be kept."""
    machine = begun()
    first, *others = take(machine, WIDE)
    say(machine, others[::2], RELEASE)
    machine.end_waits(100.0)
    assert take(machine, WIDE)[:5] == others[::2]
    step = machine.acknowledge("m", [Said(each, each, [ACCEPT]) for each in others], WIDE, 0.0)
    assert step.rows == [(1, 9, ACKNOWLEDGED, WIDE.delivery_limit, 0.0)] and first == 0


def test_an_answer_does_not_reach_over_a_long_way_to_what_comes_next() -> None:
    """Between a record that came back and what is new lie 500 that are done: their bytes are not sent again."""
    machine = begun()
    first, *others = take(machine, WIDE)
    say(machine, [first], RELEASE)
    say(machine, others, ACCEPT)
    while machine.window.end < 500:
        say(machine, take(machine, WIDE), ACCEPT)
    machine.end_waits(100.0)
    assert machine.useful_until(0, Wanted("m", 10), WIDE) < 10
    assert take(machine, WIDE) == [0]
    assert take(machine, WIDE) == list(range(500, 510))
