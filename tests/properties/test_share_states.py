"""State of share groups against the simplest model there is: of every offset the furthest state that was written."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.share_machine import KEY, ShareWorld, initialize, known, write

from penstock.coordinators.shares import commands
from penstock.coordinators.shares.joining import joined
from penstock.coordinators.shares.ranges import StateRanges
from penstock.coordinators.shares.state import ShareLimits
from penstock.coordinators.shares.states import StateBatch
from penstock.errors import Refusal

OFFSET_MAX = 40
KEYS = [KEY._replace(group_id=name) for name in ("a", "b")]


@st.composite
def batches(draw: Any) -> StateBatch:
    first = draw(st.integers(0, OFFSET_MAX))
    last = draw(st.integers(first, min(first + 6, OFFSET_MAX)))
    not_before = draw(st.sampled_from((0, 0, 5)))
    state, reason = draw(st.sampled_from(((0, 0), (2, 0), (3, 1), (3, 4), (4, 0))))
    return StateBatch(first, last, state, draw(st.integers(1, 3)), not_before, reason)


class Model:
    """One share partition, offset by offset."""

    def __init__(self) -> None:
        self.start = -1
        self.relay = b""
        self.standing: dict[int, tuple[int, int, int, int]] = {}

    def write(self, said: commands.Write) -> None:
        self.start = max(self.start, said.progress.start_offset)
        self.relay = max(self.relay, said.relay)
        for batch in said.batches:
            for offset in range(batch.first_offset, batch.last_offset + 1):
                self.standing[offset] = max(self.standing.get(offset, (0, 0, 0, 0)), batch.standing)

    @property
    def rows(self) -> list[tuple[int, int, tuple[int, int, int, int]]]:
        rows: list[tuple[int, int, tuple[int, int, int, int]]] = []
        for offset, standing in sorted(self.standing.items()):
            if offset < self.start:
                continue
            if rows and rows[-1][1] == offset - 1 and rows[-1][2] == standing:
                rows[-1] = (rows[-1][0], offset, standing)
            else:
                rows.append((offset, offset, standing))
        return rows


def rows_of(ranges: Any) -> list[tuple[int, int, tuple[int, int, int, int]]]:
    return [(each.first_offset, each.last_offset, each.standing) for each in ranges]


writes = st.builds(
    lambda key, rows, start, relay: write(*rows, key=key, start=start, relay=relay),
    st.sampled_from(KEYS),
    st.lists(batches(), max_size=3),
    st.sampled_from((-1, -1, 0, 5, 12, 20, 30)),
    st.sampled_from((b"", b"", b"\1open", b"\2", b"\3more")),
)


@given(st.lists(batches(), max_size=12), st.randoms(use_true_random=False))
def test_rows_are_the_same_in_whatever_order_they_come(added: list[StateBatch], chance: Any) -> None:
    shuffled = [*added, *added]
    chance.shuffle(shuffled)
    ranges, model = StateRanges(added), Model()
    model.write(write(*added))
    assert rows_of(ranges) == model.rows and ranges == StateRanges(shuffled)


@settings(max_examples=300)
@given(
    st.lists(
        st.one_of(
            writes,
            st.builds(commands.Read, key=st.sampled_from(KEYS), leader_epoch=st.integers(0, 3)),
            st.builds(initialize, st.sampled_from(KEYS), state_epoch=st.integers(1, 3), start=st.integers(-1, 10)),
            st.builds(commands.Delete, key=st.sampled_from(KEYS)),
            st.sampled_from((commands.ColdDue(), "cut", "restart", "wait")),
        ),
        max_size=60,
    ),
    st.integers(0, 4),
)
def test_what_is_kept_is_what_was_written_through_cuts_and_restarts(
    steps: list[Any], updates_per_snapshot: int
) -> None:
    world = ShareWorld(ShareLimits(updates_per_snapshot=updates_per_snapshot, cold_after_ms=100))
    models: dict[Any, Model] = {}
    for step in steps:
        try:
            if step == "cut":
                world.cut()
            elif step == "restart":
                world.machine = world.replayed()
            elif step == "wait":
                world.pass_ms(60)
            else:
                world.do(step)
                _follow(models, step)
        except Refusal:
            pass
        assert {key: rows_of(state.ranges) for key, state in world.machine.states.items()} == {
            key: model.rows for key, model in models.items()
        }
        assert {key: state.progress.start_offset for key, state in world.machine.states.items()} == {
            key: model.start for key, model in models.items()
        }
        assert {key: state.relay for key, state in world.machine.states.items()} == {
            key: model.relay for key, model in models.items()
        }
        assert known(world.replayed()) == known(world.machine)


def _follow(models: dict[Any, Model], step: Any) -> None:
    match step:
        case commands.Initialize():
            models[step.key] = Model()
            models[step.key].start = step.start_offset
        case commands.Delete():
            models.pop(step.key, None)
        case commands.Write():
            models[step.key].write(step)


@given(st.lists(writes, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_writes_may_be_repeated_and_joined_and_come_in_any_order(asked: list[commands.Write], chance: Any) -> None:
    """A write whose answer was lost may have been carried out, and may be carried out again after later ones."""
    once, again = ShareWorld(), ShareWorld()
    for world in (once, again):
        world.all(initialize(key) for key in KEYS)
    once.all(asked)
    for write_again in _disturbed(asked, chance):
        again.do(write_again)
    for key in KEYS:
        first, second = (
            once.ask(commands.Read(key=key, leader_epoch=0)),
            again.ask(commands.Read(key=key, leader_epoch=0)),
        )
        assert first == second


def _disturbed(asked: list[commands.Write], chance: Any) -> list[commands.Write]:
    disturbed = [*asked, *chance.sample(asked, chance.randint(0, len(asked)))]
    chance.shuffle(disturbed)
    done: list[commands.Write] = []
    for each in disturbed:
        both = joined(done[-1], each) if done and done[-1].key == each.key and chance.random() < 0.5 else None
        if both is None:
            done.append(each)
        else:
            done[-1] = both
    return done
