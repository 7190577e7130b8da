"""Records that are too old when somebody would get them."""

import pytest

from penstock.coordinators.shares.states import ShareState
from penstock.delivery.shares.acquiring import Acquired, BatchSpan, Wanted
from penstock.delivery.shares.archiving import Reason, archiving, waiting
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.time_to_live import expired_in, give_up
from penstock.wire.records import Record, build_batch

RULES = ShareRules(dead_letter_topic="dlq.orders")
ALL = [Acquired(0, 99, 1)]


def batch(*ttls: bytes | None, timestamp: int = 1_000) -> bytes:
    headers = [(("other", b"1"),) if ttl is None else (("penstock-ttl-ms", ttl),) for ttl in ttls]
    return bytes(build_batch([Record(n, timestamp, None, b"v", each) for n, each in enumerate(headers)]))


def test_a_record_expires_when_it_is_older_than_it_says() -> None:
    data = batch(b"500", b"501", None, b"0")
    assert expired_in(data, ALL, 1_501) == ([0, 3], 0)
    assert expired_in(data, ALL, 1_502) == ([0, 1, 3], 0)
    assert expired_in(data, ALL, 1_000) == ([], 0)


def test_only_what_was_acquired_is_looked_at() -> None:
    assert expired_in(batch(b"0", b"0", b"0"), [Acquired(1, 1, 1)], 5_000) == ([1], 0)


@pytest.mark.parametrize("text", [b"soon", b"", b"-1", b"1.5", b"9" * 19, b"\xff"])
def test_nonsense_does_not_expire_and_is_counted(text: bytes) -> None:
    assert expired_in(batch(text, b"0"), ALL, 5_000) == ([1], 1)


def test_an_expired_record_was_never_delivered_and_goes_to_dead_letters() -> None:
    machine = SharePartitionMachine(ShareState(0, 0), start_offset=0)
    span = [BatchSpan(0, 4)]
    acquired = machine.acquire(Wanted("m", 5), RULES, now=0.0, asked_from=0, batches=span)
    left, step = give_up(machine.window, acquired, [0, 2, 3], RULES)
    state = archiving(Reason.EXPIRED)
    assert left == [Acquired(1, 1, 1), Acquired(4, 4, 1)]
    assert [row[:4] for row in step.rows] == [(0, 0, state, 0), (2, 3, state, 0)]
    machine.commit(step)
    assert waiting(machine.window, 10) == [(0, 0, state, 0), (2, 3, state, 0)]


def test_if_that_cannot_be_written_somebody_else_finds_it_expired() -> None:
    machine = SharePartitionMachine(ShareState(0, 0), start_offset=0)
    acquired = machine.acquire(Wanted("m", 2), RULES, now=0.0, asked_from=0, batches=[BatchSpan(0, 1)])
    _, step = give_up(machine.window, acquired, [0], RULES)
    machine.undo(step, RULES, 1.0)
    assert machine.read_from(RULES) == 0


def test_without_a_dead_letter_topic_it_is_gone() -> None:
    machine = SharePartitionMachine(ShareState(0, 0), start_offset=0)
    acquired = machine.acquire(Wanted("m", 1), ShareRules(), now=0.0, asked_from=0, batches=[BatchSpan(0, 0)])
    _, step = give_up(machine.window, acquired, [0], ShareRules())
    machine.commit(step)
    assert machine.start_offset == 1
