import random

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.delivery.schedules.offset_set import PAGE_BITS, OffsetSet
from penstock.delivery.schedules.wheel import Wheel

YEAR_MS = 365 * 86_400_000
START = 1_790_000_000_000


def drained(wheel: Wheel, now: int) -> list[tuple[int, int]]:
    while not wheel.deal_out(now, 50):
        pass
    found = []
    while some := wheel.take(now, 7):
        found += some
    return found


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 40 * YEAR_MS), st.booleans()), max_size=60), st.integers(0, 2**32))
def test_each_record_is_taken_once_at_its_time_and_in_order(steps: list[tuple[int, bool]], seed: int) -> None:
    chance = random.Random(seed)
    wheel, now = Wheel(chance.choice((0, START))), START
    waiting: list[tuple[int, int]] = []
    for offset, (number, is_look) in enumerate(steps):
        if is_look:
            now += number % chance.choice((100, 10_000, 86_400_000, YEAR_MS))
            expected = sorted(each for each in waiting if each[0] <= now)
            assert drained(wheel, now) == expected
            waiting = [each for each in waiting if each[0] > now]
            at = wheel.next_at()
            assert (at is None) == (not waiting) and (at is None or at <= min(waiting)[0])
        else:
            due = START - 1_000 + number % chance.choice((100, 10_000, 86_400_000, 40 * YEAR_MS))
            wheel.add(due, offset)
            waiting.append((due, offset))
        assert len(wheel) == len(waiting) and sorted(wheel.all()) == sorted(waiting)


def test_a_wheel_takes_no_more_than_20_bytes_a_record() -> None:
    wheel = Wheel()
    chance = random.Random(1)
    for offset in range(50_000):
        wheel.add(START + chance.randrange(YEAR_MS), offset)
    assert wheel.size_bytes <= 17 * 50_000
    assert sum(len(level) for level in wheel._slices) < 64 * 7


def test_no_call_moves_more_records_than_it_may() -> None:
    wheel = Wheel()
    for offset in range(1_000):
        wheel.add(START + 3_600_000 + offset, offset)
    calls = 0
    while not wheel.deal_out(START + 3_700_000, 100):
        calls += 1
    assert 10 <= calls <= 200
    assert [offset for _, offset in wheel.take(START + 3_700_000, 2_000)] == list(range(1_000))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3 << PAGE_BITS), st.integers(0, 400), st.booleans()), max_size=40))
def test_a_set_of_offsets_is_one(steps: list[tuple[int, int, bool]]) -> None:
    offsets, model = OffsetSet(10), set(range(10))
    for first, count, is_added in steps:
        for offset in range(first, first + count):
            if is_added:
                offsets.add(offset)
                model.add(offset)
            elif offset >= offsets.floor:
                offsets.discard(offset)
                model.discard(offset)
        floor = offsets.raise_floor()
        assert floor not in model and all(offset in model for offset in range(floor))
        for offset in range(max(0, first - 3), first + count + 3):
            assert (offset in offsets) == (offset in model)


def test_a_whole_prefix_of_a_set_takes_no_memory() -> None:
    offsets = OffsetSet(0)
    offsets.add_range(0, 5 << PAGE_BITS)
    assert offsets.raise_floor() == 5 << PAGE_BITS and offsets.size_bytes == 0
