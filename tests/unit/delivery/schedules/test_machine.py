"""What waits, when cancels come early, and records that lie in the wheel twice."""

from penstock.delivery.schedules.firing import DUE, SCHEDULED_FROM, Route, TargetLimits, choose
from penstock.delivery.schedules.machine import ScheduleMachine
from penstock.delivery.schedules.plan import Plan, digest
from penstock.delivery.schedules.stage import Stage
from penstock.wire.records import Record

NOW = 1_790_000_000_000
ID = digest(b"k", b"payment-17")
LIMITS = TargetLimits(1_000_000, needs_keys=False)


def a_machine() -> ScheduleMachine:
    return ScheduleMachine(0, NOW)


def due_now(machine: ScheduleMachine, now: int) -> list[int]:
    """Offsets that would be fired, in their order."""
    stage = Stage()
    machine.wheel.deal_out(now, 1_000)
    stage.add(machine.wheel.take(now, 1_000))
    for offset in list(stage.missing):
        stage.bring(offset, Record(offset, NOW, b"k", b"v"))
    return [ref.offset for ref in choose(stage, machine, LIMITS, now, []).refs]


def test_s6_an_early_cancel_acts_on_what_is_told_after_it_and_lies_before_it() -> None:
    machine = a_machine()
    machine.cancel_early(7, ID)
    machine.scheduled(5, Plan(NOW, ID))  # it lay behind an open transaction, as the cancel does
    assert machine.waiting == 0 and due_now(machine, NOW) == []
    machine.cancel(7, ID)
    assert (machine.cancelled, machine.cancelled_late) == (1, 0)
    machine.scheduled(8, Plan(NOW, ID))
    assert due_now(machine, NOW) == [8]


def test_an_early_cancel_spares_what_was_written_after_it() -> None:
    machine = a_machine()
    machine.cancel_early(7, ID)
    machine.scheduled(9, Plan(NOW, ID))
    assert due_now(machine, NOW) == [9]


def test_what_is_to_be_fired_at_once_when_its_own_time_has_come_is_fired_once() -> None:
    machine = a_machine()
    machine.scheduled(3, Plan(NOW + 10, ID))
    machine.cancel(4, ID, fires_at=NOW + 5)
    assert due_now(machine, NOW + 20) == [3]


def test_what_an_earlier_journey_left_is_not_carried_on() -> None:
    headers = ((DUE, b"soon"), (SCHEDULED_FROM, b"other-0@1"), ("penstock-sent-at", b"1"), ("own", b"stays"))
    record = Route("orders.later", 0).outgoing(Record(17, NOW, None, b"v", headers), NOW)
    assert record.headers == (
        ("own", b"stays"),
        (SCHEDULED_FROM, b"orders.later-0@17"),
        (DUE, b"%d" % NOW),
        ("penstock-sent-at", b"%d" % NOW),
    )
