"""Records that are given up where there is a dead-letter topic."""

import msgspec

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares.acquiring import Acquired, BatchSpan, Wanted
from penstock.delivery.shares.archiving import Reason, archived, archiving, intended, kept_batch, reason_of, waiting
from penstock.delivery.shares.key_order import KeyedBatch
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import Step
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, REJECT, RELEASE, Said, commit

RULES = ShareRules(delivery_limit=2, dead_letter_topic="dlq.orders")
REJECTED, OFTEN, LATE = (archiving(each) for each in (Reason.REJECTED, Reason.DELIVERY_LIMIT, Reason.LOCK_TIMEOUT))


def with_records(count: int, *batches: StateBatch) -> SharePartitionMachine:
    machine = SharePartitionMachine(ShareState(0, 0, batches), start_offset=0)
    give(machine, count)
    return machine


def give(machine: SharePartitionMachine, count: int, now: float = 0.0) -> None:
    spans = [BatchSpan(offset, offset) for offset in range(machine.start_offset, count)]
    machine.acquire(Wanted("m", count), RULES, now=now, asked_from=machine.start_offset, batches=spans)


def say(machine: SharePartitionMachine, *kinds: int, first: int = 0) -> list[tuple[int, ...]]:
    step = machine.acknowledge("m", [Said(first, first + len(kinds) - 1, kinds)], RULES, 0.0)
    machine.commit(step)
    return rows_of(step)


def rows_of(step: Step) -> list[tuple[int, ...]]:
    return [row[:4] for row in step.rows]


def test_a_rejected_record_is_not_done_before_it_is_archived() -> None:
    machine = with_records(3)
    assert say(machine, REJECT, ACCEPT, ACCEPT) == [(0, 0, REJECTED, 1), (1, 2, 2, 1)]
    assert (machine.start_offset, machine.window.archiving) == (0, 1)
    assert waiting(machine.window, 10) == [(0, 0, REJECTED, 1)]
    step = archived(machine.window, [(0, 0, REJECTED, 1)])
    assert rows_of(step) == [(0, 0, 4, 1)]
    assert machine.start_offset == 0
    commit(machine.window, step)
    assert (machine.start_offset, machine.window.archiving) == (3, 0)


def test_nothing_waits_that_is_not_written_yet() -> None:
    machine = with_records(1)
    step = machine.acknowledge("m", [Said(0, 0, [REJECT])], RULES, 0.0)
    assert waiting(machine.window, 10) == []
    machine.undo(step, RULES, 0.0)
    assert machine.window.archiving == 0


def test_what_an_intent_names_waits_no_more_until_it_is_returned() -> None:
    machine = with_records(4)
    say(machine, REJECT, REJECT, REJECT, REJECT)
    some = waiting(machine.window, 2)
    assert some == [(0, 1, REJECTED, 1)]
    intended(machine.window, some)
    assert waiting(machine.window, 10) == [(2, 3, REJECTED, 1)]
    intended(machine.window, some, is_intended=False)
    assert waiting(machine.window, 10) == [(0, 3, REJECTED, 1)]


def test_why_it_was_given_up_is_kept() -> None:
    machine = with_records(2)
    say(machine, RELEASE, RELEASE)
    give(machine, 1, now=100.0)
    assert say(machine, RELEASE) == [(0, 0, OFTEN, 2)]
    give(machine, 2, now=100.0)
    step, _ = machine.expire(RULES, 1_000.0)
    assert rows_of(step) == [(1, 1, LATE, 2)]
    kept = [kept_batch((*row, 0.0)) for row in ((0, 0, OFTEN, 2), (1, 1, LATE, 2))]
    assert [(each.delivery_state, each.dead_letter_reason) for each in kept] == [(3, 2), (3, 3)]
    again = SharePartitionMachine(ShareState(0, 0, kept), start_offset=0)
    assert waiting(again.window, 10) == [(0, 0, OFTEN, 2), (1, 1, LATE, 2)]


def test_a_reason_of_a_later_release_is_none() -> None:
    assert reason_of(3 | 15 << 4) is Reason.NONE


def test_records_that_the_log_has_lost_wait_no_more() -> None:
    machine = with_records(3)
    say(machine, REJECT, REJECT, REJECT)
    machine.log_starts_at(2)
    assert waiting(machine.window, 10) == [(2, 2, REJECTED, 1)]
    assert machine.window.archiving == 1


def test_without_a_dead_letter_topic_a_rejected_record_is_done() -> None:
    machine = with_records(1)
    step = machine.acknowledge("m", [Said(0, 0, [REJECT])], ShareRules(), 0.0)
    assert rows_of(step) == [(0, 0, 4, 1)]


def test_the_next_record_of_a_key_waits_until_the_letter_is_written_at_the_next_leader_too() -> None:
    rules = msgspec.structs.replace(RULES, by_key=True)
    state = ShareState(0, 0, [StateBatch(0, 0, 3, 1, dead_letter_reason=1)])
    machine = SharePartitionMachine(state, start_offset=0, rules=rules)
    machine.take_in(KeyedBatch(0, 2, [(0, b"a"), (1, b"a"), (2, b"b")]), rules)
    spans = [BatchSpan(0, 2)]
    assert machine.acquire(Wanted("m", 9), rules, now=0.0, asked_from=0, batches=spans) == [Acquired(2, 2, 1)]
    assert waiting(machine.window, 10) == [(0, 0, REJECTED, 1)]
    machine.commit(archived(machine.window, [(0, 0, REJECTED, 1)]))
    assert machine.acquire(Wanted("m", 9), rules, now=0.0, asked_from=1, batches=spans) == [Acquired(1, 1, 1)]
