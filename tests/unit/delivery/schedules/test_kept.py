"""Notes of what is left: whole or nothing, and a start knows by them what waits, whatever was cleaned away."""

import random

import pytest
from tests.support.scheduling import ORDERS, drained

from penstock.delivery.relay.entries import Done, Intent
from penstock.delivery.relay.entries import encode as encode_entry
from penstock.delivery.schedules import kept
from penstock.delivery.schedules.kept import Collector
from penstock.delivery.schedules.plan import Plan
from penstock.delivery.schedules.refs import Ref, decode, encode
from penstock.delivery.schedules.state import ScheduleState

NOW = 1_790_000_000_000
YEAR_MS = 365 * 86_400_000


def test_a_note_in_parts_counts_once_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PART_MAX", 3)
    refs = [Ref(offset * 7) for offset in range(8)]
    done = Done(ORDERS, 4, 9)
    parts = list(kept.encode(100, 60, refs, [done]))
    collector = Collector()
    assert [collector.add(part) is not None for part in parts] == [False, False, True]
    (other,) = kept.encode(200, 70, [Ref(1)], [])
    collector.add(parts[0])
    collector.add(parts[1])
    alone = collector.add(other)  # another leader's, who knew nothing of the one that was begun
    assert alone is not None and alone.offsets == [1]
    assert collector.add(parts[2]) is None
    whole = [collector.add(part) for part in parts][-1]
    assert whole is not None and (whole.upto, whole.refs, whole.relayed()) == (60, refs, [done])


@pytest.mark.parametrize("content", [b"\x02", b"\x02soon", b"\x02\x96\x01\x00\x01\x01\xa0\x90"])
def test_nonsense_is_no_note(content: bytes) -> None:
    assert kept.is_part(content)
    with pytest.raises(ValueError):
        Collector().add(content)


class Log:
    """What a home did, as a list: records and notes by their offsets."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.plans: dict[int, Plan] = {}
        self.notes: dict[int, bytes] = {}
        self.end = 0
        self.live = ScheduleState(0, NOW)
        self.number = 0

    def write_record(self) -> None:
        plan = self.plans[self.end] = Plan(NOW + self.chance.randrange(YEAR_MS))
        self.live.machine.scheduled(self.end, plan)
        self.end += 1

    def note(self, content: bytes) -> None:
        self.notes[self.end] = content
        self.live.machine.nothing(self.end, self.end + 1)
        self.end += 1

    def fire(self, count: int) -> None:
        """An intent for some of what waits; it says that all before it are done."""
        waiting = [offset for offset in self.plans if offset not in self.live.machine.taken]
        some = self.chance.sample(waiting, min(count, len(waiting)))
        if some:
            refs = encode([Ref(offset) for offset in some])
            entry = Intent(ORDERS, 1000, 0, 10 * self.number, self.number, len(some), refs, self.number - 1, 5)
            self.number += 1
            self.live.apply(entry, self.end + 1)
            self.note(encode_entry(entry))

    def say_what_is_left(self, upto: int) -> None:
        refs = list(self.live.machine.unfinished_below(upto))
        for content in kept.encode(self.end, upto, refs, self.live.relay.entries()):
            self.note(content)

    def cleaned(self, upto: int) -> None:
        left = {ref.offset for ref in self.live.machine.unfinished_below(upto)}
        self.plans = {offset: plan for offset, plan in self.plans.items() if offset >= upto or offset in left}
        self.notes = {offset: note for offset, note in self.notes.items() if offset >= upto}

    def replayed(self) -> ScheduleState:
        state = ScheduleState(0, NOW)
        for offset, content in sorted(self.notes.items()):
            state.replay(content, offset + 1)
        at = 0
        for offset, plan in sorted(self.plans.items()):
            state.machine.nothing(at, offset)
            state.machine.scheduled(offset, plan)
            at = offset + 1
        state.machine.nothing(at, self.end)
        return state


@pytest.mark.parametrize("seed", range(12))
def test_a_start_knows_the_same_of_a_log_whether_it_was_cleaned_or_not(seed: int) -> None:
    log = Log(seed)
    for _ in range(4):
        for _ in range(40):
            log.write_record()
        log.fire(15)
        log.fire(7)
    upto = log.end - 20
    log.say_what_is_left(upto)
    log.write_record()
    log.fire(9)  # may name what was left
    whole = log.replayed()
    log.cleaned(upto)
    cleaned = log.replayed()
    for state in (whole, cleaned):
        assert state.machine.waiting == log.live.machine.waiting
        assert [decode(refs) for refs in state.relay.open_refs()] == [
            decode(refs) for refs in log.live.relay.open_refs()
        ]
        assert (state.kept_to, state.is_outdated) == (upto, False)
    assert drained(whole, NOW + 2 * YEAR_MS) == drained(cleaned, NOW + 2 * YEAR_MS)
    assert drained(cleaned, NOW + 2 * YEAR_MS) == []


def test_a_snapshot_from_before_a_note_of_what_is_left_is_outdated() -> None:
    state = ScheduleState(0, NOW)
    state.restored_to = 50
    (early,) = kept.encode(90, 40, [Ref(3)], [])
    state.replay(early, 91)
    assert not state.is_outdated
    (late,) = kept.encode(100, 60, [Ref(3)], [])
    state.replay(late, 101)
    assert state.is_outdated
