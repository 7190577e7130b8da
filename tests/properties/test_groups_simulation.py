"""Random commands, lost replies, silences, timers, transactions and moves of leadership on the group machine, from a
seed that a failure prints; tests/support/groups_simulation.py says what is done and what must hold.

A seed alone: PENSTOCK_SIM_SEED=137 pytest tests/properties/test_groups_simulation.py -k one_seed
More of them: PENSTOCK_SIM_SEEDS=5000 pytest tests/properties/test_groups_simulation.py -k invariants
"""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.groups import GroupWorld
from tests.support.groups_simulation import BUGS, LIMITS, Simulation

from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.records import GroupCodec, GroupMetadataRecord, OffsetRecord, kept
from penstock.coordinators.groups.state import CommittedOffset
from penstock.errors import Refusal
from penstock.model import Millis
from penstock.wire.messages.group_metadata_value import GroupMetadataValue, MemberMetadata

SEEDS = int(os.environ.get("PENSTOCK_SIM_SEEDS", "200"))
PARTS = 4


def run(seed: int) -> None:
    try:
        Simulation(seed).run()
    except Exception as error:
        raise AssertionError(f"seed {seed}: run it again with PENSTOCK_SIM_SEED={seed} and -k one_seed") from error


@pytest.mark.parametrize("part", range(PARTS))
def test_invariants_hold_under_random_commands_and_moves_of_leadership(part: int) -> None:
    for seed in range(part, SEEDS, PARTS):
        run(seed)


if "PENSTOCK_SIM_SEED" in os.environ:  # there is such a test when one is asked for, and nothing is skipped otherwise

    def test_one_seed() -> None:
        run(int(os.environ["PENSTOCK_SIM_SEED"]))


@pytest.mark.parametrize("bug", BUGS)
def test_a_coordinator_with_a_planted_bug_is_found_out(bug: str) -> None:
    def is_found(seed: int) -> bool:
        try:
            Simulation(seed, bug=bug).run()
        except (AssertionError, KeyError):
            return True
        return False

    assert any(is_found(seed) for seed in range(50))


names = st.text(max_size=12)
offsets = st.builds(
    CommittedOffset,
    offset=st.integers(-1, 2**63 - 1),
    leader_epoch=st.integers(-1, 2**31 - 1),
    metadata=names,
    committed_at=st.integers(0, 2**60).map(Millis),
    topic_id=st.binary(min_size=16, max_size=16),
)
members = st.builds(
    MemberMetadata,
    names,
    st.none() | names,
    names,
    names,
    st.integers(0, 9),
    st.integers(0, 9),
    st.binary(),
    st.binary(),
)
generations = st.builds(
    GroupMetadataValue, names, st.integers(0, 9), st.none() | names, st.none() | names, st.integers(-1, 9),
    st.lists(members, max_size=3),
)  # fmt: skip
records = st.one_of(
    st.builds(OffsetRecord, names, names, st.integers(0, 9), st.none() | offsets),
    st.builds(GroupMetadataRecord, names, st.none() | generations),
)


@given(records)
def test_what_is_kept_is_found_again(record: OffsetRecord | GroupMetadataRecord) -> None:
    codec = GroupCodec()
    assert codec.decode(*codec.encode(record)) == record


@given(st.lists(records, max_size=8))
def test_replaying_twice_is_replaying_once(log: list[OffsetRecord | GroupMetadataRecord]) -> None:
    once, twice = GroupMachine(LIMITS), GroupMachine(LIMITS)
    for record in log:
        once.apply(record)
    for record in [*log, *log]:
        twice.apply(record)
    assert twice.tables.offsets == once.tables.offsets


def test_a_record_of_another_kind_is_let_be() -> None:
    assert GroupCodec().decode(b"\x00\x7f\x00\x01g", b"\x00\x00") is None


def test_a_refusal_changes_nothing() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    before = kept(world.group)
    assert isinstance(world.heartbeat(leader, 9), Refusal) and kept(world.group) == before
