"""A command about a group goes to the group's kind, by one table a kind."""

import pytest
from tests.support.consumer_groups import ConsumerWorld

from penstock.coordinators.groups import commands
from penstock.coordinators.groups.classic.machine import ClassicGroups
from penstock.coordinators.groups.consumer.machine import ConsumerGroups
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.kind import GroupKind
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.coordinators.groups.tables import GroupTables
from penstock.errors import PolicyViolation

KINDS = tuple(GroupMachine(GroupLimits()).kinds.values())
BEGIN_A_GROUP = {commands.Join, commands.CommitOffsets, commands.CommitInTransaction}
"""Left to the classic kind, they would begin a second group of an id that is taken."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_answers_what_would_begin_a_group_of_another(kind: GroupKind) -> None:
    assert kind.asked.keys() >= BEGIN_A_GROUP


def test_a_change_is_of_one_kind() -> None:
    changes = [change for kind in KINDS for change in kind.changes] + [
        *GroupTables.changes,
        *GroupTables.changes_of_assigned,
    ]
    assert len(changes) == len(set(changes))


def test_a_command_without_a_row_in_the_group_s_kind_goes_to_the_first_that_has_one() -> None:
    assert commands.DescribeGroup not in ConsumerGroups.asked and commands.DescribeGroup in ClassicGroups.asked
    world = ConsumerWorld()
    world.come("m1")
    described = world.ask(commands.DescribeGroup, group_id="g", api_version=5)
    assert described.group_state == "Dead" and described.members == []


def test_an_unknown_command_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="no such command"):
        GroupMachine(GroupLimits()).decide(object(), GroupLimits().wall(0))  # type: ignore[arg-type]


def test_groups_of_another_kind_take_room_too() -> None:
    world = ConsumerWorld(limits=GroupLimits(groups_max=1))
    world.come("m1")
    world.group_id = "another"
    assert isinstance(world.commit(1), PolicyViolation)


def test_what_ends_a_group_of_one_kind_leaves_one_of_another() -> None:
    tables = GroupTables(GroupLimits())
    tables.groups["g"] = ConsumerGroup(group_id="g")
    tables.drop("g", Group)
    assert list(tables.of_kind(ConsumerGroup)) == ["g"] and tables.of_kind(Group) == {}
    tables.drop("g", ConsumerGroup)
    assert tables.groups == {}
