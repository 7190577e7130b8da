"""What compaction leaves of a group coordinator's log says the same as the log did.

Compaction keeps the last record of each key, up to any offset below which no transaction is open; it drops what was
aborted and, after a while, tombstones. A coordinator that loads finds one log or the other. Logs are those of the
simulations of groups, of both protocols, and of the change between them.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.properties import test_consumer_groups_simulation as consumers
from tests.properties import test_group_migration_simulation as migration
from tests.support import groups_simulation as classic
from tests.support.groups import GroupWorld

from penstock.coordinators.decision import InTransaction, TransactionEnded
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.pending_offsets import PendingOffsets
from penstock.coordinators.groups.records import GroupCodec, kept
from penstock.coordinators.groups.state import Group

CODEC = GroupCodec()


def outcomes_in(log: list[Any]) -> tuple[dict[int, bool], int]:
    """Whether the transaction committed that each record is of, and from where on one may be open."""
    begun: dict[int, list[int]] = {}
    outcomes: dict[int, bool] = {}
    for place, change in enumerate(log):
        if isinstance(change, InTransaction):
            begun.setdefault(change.producer_id, []).append(place)
        elif isinstance(change, TransactionEnded):
            outcomes |= dict.fromkeys(begun.pop(change.producer_id, ()), change.is_committed)
    return outcomes, min((places[0] for places in begun.values()), default=len(log))


def compacted(log: list[Any], dice: random.Random) -> list[Any]:
    outcomes, stable_upto = outcomes_in(log)
    upto = dice.randint(0, stable_upto)
    drops_tombstones = dice.random() < 0.7
    newest: dict[bytes, int] = {}
    kept_values: dict[int, bytes | None] = {}
    for place, change in enumerate(log[:upto]):
        if isinstance(change, TransactionEnded) or not outcomes.get(place, True):
            continue
        key, kept_values[place] = CODEC.encode(change.record if isinstance(change, InTransaction) else change)
        newest[key] = place
    stays = {place for place in newest.values() if not (drops_tombstones and kept_values[place] is None)}
    return [
        change
        for place, change in enumerate(log)
        if place >= upto or isinstance(change, TransactionEnded) or place in stays
    ]


def said_by(log: list[Any], machine: GroupMachine) -> tuple[Any, ...]:
    for change in log:
        machine.apply(change)
    # A group that never was more than the offsets that it has no more is not kept, only remembered.
    groups = {
        group_id: kept(group)
        for group_id, group in machine.tables.of_kind(Group).items()
        if group.protocol_type or group.generation or group_id in machine.tables.offsets
    }
    return (
        consumers.kept_of(machine),
        groups,
        machine.tables.offsets,
        machine.tables.offset_count,
        sorted(map(str, machine.tables.pending)),
    )


def watch(simulation: Any, new_machine: Callable[[], GroupMachine], seed: int) -> None:
    """Have the simulation's log compacted now and then, at many places."""
    dice, world, check = random.Random(seed), simulation.world, simulation.check

    def check_compacted() -> None:
        check()
        if dice.random() < 0.1:
            log = [change for changes in world.log for change in changes]
            assert said_by(compacted(log, dice), new_machine()) == said_by(log, new_machine()), "compaction changed it"

    simulation.check = check_compacted


def run_classic(seed: int) -> None:
    simulation = classic.Simulation(seed)
    watch(simulation, lambda: GroupMachine(classic.LIMITS), seed)
    simulation.run()


@pytest.mark.parametrize("seed", range(20))
def test_of_classic_groups_and_offsets_within_transactions(seed: int) -> None:
    run_classic(seed)


@pytest.mark.parametrize("seed", range(20))
def test_of_consumer_groups_that_are_deleted_and_made_anew(seed: int) -> None:
    simulation = consumers.Simulation(seed, starts_over=True)
    watch(simulation, simulation.world.new_machine, seed)
    simulation.run()


@pytest.mark.parametrize("seed", range(20))
def test_of_groups_that_change_their_protocol(seed: int) -> None:
    simulation = migration.Migration(seed)
    watch(simulation, simulation.world.new_machine, seed)
    simulation.run()


def test_a_coordinator_that_lets_the_last_marker_win_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: of two commits for one place the one counts whose transaction ends last."""
    monkeypatch.setattr(PendingOffsets, "outdo", lambda _self, _place, before=None: None)
    monkeypatch.setattr(classic.Simulation, "check_by_the_book", lambda _self: None)
    with pytest.raises(AssertionError, match="compaction changed it"):
        for seed in range(50):
            run_classic(seed)


def test_a_log_without_transactions_may_be_compacted_to_its_end() -> None:
    world = GroupWorld()
    for offset in range(3):
        world.commit(offset)
    log = [change for changes in world.log for change in changes]
    assert outcomes_in(log) == ({}, 3)
    assert min(len(compacted(log, random.Random(seed))) for seed in range(50)) == 1
