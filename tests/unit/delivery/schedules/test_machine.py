"""What waits, when cancels come early, and records that lie in the wheel twice."""

from collections import deque

import msgspec
import pytest

from penstock.delivery.schedules.firing import (
    DUE,
    RECORDS_MAX,
    SCHEDULED_FROM,
    TAKES_NOTHING,
    Route,
    TargetLimits,
    choose,
)
from penstock.delivery.schedules.machine import ScheduleMachine
from penstock.delivery.schedules.plan import SCHEDULE_ID, Cancel, Plan, digest
from penstock.delivery.schedules.reading import EarlyCancel, Ended, Nothing, Planned, Unreadable, cancels_in
from penstock.delivery.schedules.snapshot import is_possible
from penstock.delivery.schedules.stage import Stage
from penstock.delivery.schedules.state import ScheduleState
from penstock.wire.batch import BASE_OFFSET, BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.notes import build_note
from penstock.wire.records import Record, build_batch

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
    for offset in stage.wanted():
        stage.bring(offset, Record(offset, NOW, b"k", b"v"))
    return [ref.offset for ref in choose(stage, machine, LIMITS, now, deque(), []).refs]


def test_s6_an_early_cancel_acts_on_what_is_told_after_it_and_lies_before_it() -> None:
    machine = a_machine()
    machine.cancel_early(7, ID)
    machine.scheduled(5, Plan(NOW, ID))  # it lay behind an open transaction, as the cancel does
    assert machine.waiting == 0 and due_now(machine, NOW) == []
    machine.cancel(7, ID)
    assert (machine.cancelled, machine.cancelled_late) == (1, 0)
    machine.scheduled(8, Plan(NOW, ID))
    assert due_now(machine, NOW) == [8]


def test_s6_a_transaction_that_ends_late_takes_nothing_from_a_later_cancel() -> None:
    machine = a_machine()
    machine.cancel_if_committed(5, ID, producer_id=1)
    machine.cancel_early(9, ID)
    machine.transaction_ended(1, is_committed=True)
    machine.cancel(5, ID)
    machine.scheduled(7, Plan(NOW, ID))  # the cancel at 9 lies behind another transaction still
    assert due_now(machine, NOW) == []
    machine.cancel(9, ID)
    assert (machine.cancelled, machine.cancelled_late) == (1, 1)


def test_an_early_cancel_spares_what_was_written_after_it() -> None:
    machine = a_machine()
    machine.cancel_early(7, ID)
    machine.scheduled(9, Plan(NOW, ID))
    assert due_now(machine, NOW) == [9]


def a_stage_of(state: ScheduleState) -> list[int]:
    """Offsets that would be fired now, in their order; the others stay where they are."""
    state.machine.wheel.deal_out(NOW, 1_000)
    state.stage.add(state.machine.wheel.take(NOW, 1_000))
    for offset in state.stage.wanted():
        state.stage.bring(offset, Record(offset, NOW, b"k", b"v"))
    return [ref.offset for ref in choose(state.stage, state.machine, LIMITS, NOW, state.aside, state.held).refs]


@pytest.mark.parametrize(("is_committed", "fired"), [(True, []), (False, [5])])
def test_s6_what_an_open_transaction_may_cancel_waits_until_that_is_decided(
    is_committed: bool, fired: list[int]
) -> None:
    state = ScheduleState(0, NOW)
    state.take((5, Plan(NOW, ID)))
    state.take_early(EarlyCancel(8, ID, producer_id=70))
    state.take_early(Ended(71, is_committed=True))  # another's
    assert a_stage_of(state) == [] and state.held == [(NOW, 5)]
    state.take_early(Ended(70, is_committed=is_committed))
    assert a_stage_of(state) == fired and state.held == []
    state.take((8, Cancel(ID)) if is_committed else Nothing(8, 9))
    assert (state.machine.cancelled, state.machine.cancelled_late) == (int(is_committed), 0)


@pytest.mark.parametrize(("told", "fired"), [((8, Cancel(ID)), []), (Nothing(8, 9), [5])])
def test_s6_a_transaction_whose_end_was_passed_over_is_decided_when_its_records_are_told(
    told: Planned, fired: list[int]
) -> None:
    state = ScheduleState(0, NOW)
    state.take((5, Plan(NOW, ID)))
    state.take_early(EarlyCancel(8, ID, producer_id=70))
    state.take_early(EarlyCancel(9, digest(b"k", b"other"), producer_id=70))
    assert a_stage_of(state) == []
    state.take(told)
    state.passed(9)
    assert a_stage_of(state) == fired
    state.passed(10)
    assert not state.machine.is_held(5)


def test_s6_two_transactions_may_cancel_the_same() -> None:
    state = ScheduleState(0, NOW)
    state.take((5, Plan(NOW, ID)))
    for producer_id in (70, 71):
        state.take_early(EarlyCancel(producer_id, ID, producer_id))
    state.take_early(Ended(70, is_committed=False))
    assert a_stage_of(state) == []
    state.take_early(Ended(71, is_committed=False))
    assert a_stage_of(state) == [5]


def test_cancels_are_found_in_transactions_and_out_of_them_with_the_ends_of_those() -> None:
    cancel = Record(0, NOW, b"k", None, ((SCHEDULE_ID, b"payment-17"),))
    other = Record(0, NOW, b"k", None, ())
    batches = [
        build_batch([cancel]),
        build_batch([other]),
        build_batch(
            [other, msgspec.structs.replace(cancel, offset=1)], producer_id=70, transactional=True, compression=4
        ),
        build_note(b"note", timestamp=NOW, base_offset=0, leader_epoch=0),
        build_marker(Marker(MarkerType.ABORT, 0), producer_id=70, producer_epoch=0, timestamp=NOW),
        build_marker(Marker(MarkerType.COMMIT, 0), producer_id=71, producer_epoch=0, timestamp=NOW),
    ]
    end, data = 10, bytearray()
    for batch in batches:
        BASE_OFFSET.pack_into(batch, 0, end)
        end += BatchHeader.peek(batch).last_offset_delta + 1
        data += batch
    assert cancels_in(bytes(data), 10, -1) == (
        [EarlyCancel(10, ID, -1), EarlyCancel(13, ID, 70), Ended(70, is_committed=False), Ended(71, is_committed=True)],
        end,
    )


def test_what_is_to_be_fired_at_once_when_its_own_time_has_come_is_fired_once() -> None:
    machine = a_machine()
    machine.scheduled(3, Plan(NOW + 10, ID))
    machine.cancel(4, ID, fires_at=NOW + 5)
    assert due_now(machine, NOW + 20) == [3]


def test_s4_a_record_whose_time_is_not_understood_is_kept() -> None:
    state = ScheduleState(0, NOW)
    state.take(Nothing(0, 5))
    state.take(Unreadable(5))
    state.take((6, Plan(NOW)))
    assert state.machine.floor() == 5, "the log's start does not pass it"
    assert [ref.offset for ref in state.machine.unfinished_below(7)] == [5, 6], "nor does cleaning"
    assert due_now(state.machine, NOW) == [6]
    assert not is_possible(state, high_watermark=7), "a snapshot would stand for having read it"


def a_record(*headers: tuple[str, bytes | None], key: bytes | None = b"k", size: int = 1) -> Record:
    return Record(0, NOW, key, b"v" * size, headers)


@pytest.mark.parametrize(
    ("limits", "record", "is_taken"),
    [
        (TargetLimits(2_000, needs_keys=False), a_record(size=100), True),
        (TargetLimits(2_000, needs_keys=False), a_record(size=1_900), False),
        (TargetLimits(2_000, needs_keys=True), a_record(key=None), False),
        (TargetLimits(2_000, False, "id", ids_need_keys=True), a_record(("id", b"7"), key=None), False),
        (TargetLimits(2_000, False, "id", ids_need_keys=True), a_record(("id", b"7")), True),
        (TargetLimits(2_000, False, "id", ids_need_keys=True), a_record(("id", None), key=None), True),
        (TargetLimits(2_000, False, "id", ids_need_keys=True), a_record(("other", b"7"), key=None), True),
        (TargetLimits(2_000, False, "id", ids_need_keys=False), a_record(("id", b"7"), key=None), True),
        (TargetLimits(2_000, False, "id", ids_need_keys=False), a_record(("id", b"7"), ("id", b"")), False),
    ],
)
def test_what_a_target_would_refuse_for_good_is_not_sent(limits: TargetLimits, record: Record, is_taken: bool) -> None:
    assert limits.takes(record) == is_taken


def test_what_cannot_go_is_put_aside_by_the_thousand_and_looked_at_again_in_turn() -> None:
    state = ScheduleState(0, NOW)
    count = 3 * RECORDS_MAX
    for offset in range(count):
        state.take((offset, Plan(NOW)))
    state.machine.wheel.deal_out(NOW, 100 * count)
    state.stage.add(state.machine.wheel.take(NOW, count))
    for offset in state.stage.wanted():
        state.stage.bring(offset, a_record())
    for times in range(1, 4):
        assert not choose(state.stage, state.machine, TAKES_NOTHING, NOW, state.aside, state.held).refs
        assert len(state.aside) == times * RECORDS_MAX
    state.put_back(10)
    assert [offset for _, offset in sorted(state.stage.all())] == list(range(10)), "no more than is asked for"
    for offset in state.stage.wanted():
        state.stage.bring(offset, a_record())
    choose(state.stage, state.machine, TAKES_NOTHING, NOW, state.aside, state.held)
    state.put_back(10)
    assert [offset for _, offset in sorted(state.stage.all())] == list(range(10, 20))


def test_large_records_are_read_ahead_within_bounds() -> None:
    stage, size = Stage(), 1 << 20
    stage.add((NOW + offset, offset) for offset in range(stage.room))
    while not stage.is_full:
        (offset, *_) = reversed(stage.wanted())  # the last that is due comes first
        stage.bring(offset, a_record(size=size))
    assert stage.room == 0
    assert stage.wanted() == [0], "all waits for the first"
    stage.bring(0, a_record(size=size))
    assert stage.wanted() == []


def test_what_an_earlier_journey_left_is_not_carried_on() -> None:
    headers = ((DUE, b"soon"), (SCHEDULED_FROM, b"other-0@1"), ("penstock-sent-at", b"1"), ("own", b"stays"))
    record = Route("orders.later", 0).outgoing(Record(17, NOW, None, b"v", headers), NOW)
    assert record.headers == (
        ("own", b"stays"),
        (SCHEDULED_FROM, b"orders.later-0@17"),
        (DUE, b"%d" % NOW),
        ("penstock-sent-at", b"%d" % NOW),
    )
