"""What both assignors promise of any group: one owner a partition, balance, stickiness, and the same answer always."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.assigning import (
    check_owners,
    groups,
    load,
    loads,
    loads_by_size,
    nearby,
    owners,
    spread,
    views,
    with_assignment,
)

from penstock.coordinators.groups.assignors import ASSIGNORS, GroupSpec, MemberSpec, TopicShape, TopicView

uniform, ranges = ASSIGNORS["uniform"], ASSIGNORS["range"]
both = pytest.mark.parametrize("name", ["uniform", "range"])
Situation = tuple[GroupSpec, TopicView]


@st.composite
def situations(
    draw: st.DrawFn,
    *,
    alike: bool | None = None,
    racked: bool | None = None,
    new: bool = False,
    members_max: int = 7,
    topics_max: int = 4,
    partitions_max: int = 9,
) -> Situation:
    racked = draw(st.booleans()) if racked is None else racked
    alike = draw(st.booleans()) if alike is None else alike
    topics = draw(views(racked=racked, topics_max=topics_max, partitions_max=partitions_max))
    return draw(groups(topics, alike=alike, racked=racked, new=new, members_max=members_max)), topics


@both
@given(situation=situations())
def test_every_partition_has_one_owner_who_is_subscribed_to_it(name: str, situation: Situation) -> None:
    group, topics = situation
    check_owners(group, topics, ASSIGNORS[name](group, topics))


@both
@given(situation=situations())
def test_what_was_assigned_is_assigned_again(name: str, situation: Situation) -> None:
    group, topics = situation
    first = ASSIGNORS[name](group, topics)
    second = ASSIGNORS[name](with_assignment(group, first), topics)
    assert second == first
    assert all(second[member_id] is first[member_id] for member_id in first)


@both
@given(situation=situations(), data=st.data())
def test_the_order_in_which_members_and_topics_are_listed_changes_nothing(
    name: str, situation: Situation, data: st.DataObject
) -> None:
    group, topics = situation
    other_group = GroupSpec(dict(data.draw(st.permutations(list(group.members.items())))))
    other_topics = dict(data.draw(st.permutations(list(topics.items()))))
    assert ASSIGNORS[name](other_group, other_topics) == ASSIGNORS[name](group, topics)


@given(situation=situations(alike=True))
def test_uniform_members_with_the_same_topics_differ_by_one_partition_at_most(situation: Situation) -> None:
    group, topics = situation
    assert spread(loads(uniform(group, topics))) <= 1


@settings(max_examples=60)
@given(situation=situations(alike=False, members_max=4, topics_max=3, partitions_max=2))
def test_uniform_members_with_different_topics_are_as_even_as_any_assignment_makes_them(situation: Situation) -> None:
    group, topics = situation
    assignment = uniform(group, topics)
    partitions = sorted(check_owners(group, topics, assignment))
    choices = [
        [m for m in sorted(group.members) if topic_id in group.members[m].subscribed] for topic_id, _ in partitions
    ]
    evenest = min((sum(chosen.count(m) ** 2 for m in group.members) for chosen in product(*choices)), default=0)
    assert sum(mine**2 for mine in loads(assignment).values()) == evenest


@given(situation=situations(alike=True, racked=False))
def test_uniform_moves_no_partition_that_balance_does_not_make_it_move(situation: Situation) -> None:
    group, topics = situation
    before = uniform(group, topics)
    smaller = GroupSpec({m: spec for m, spec in group.members.items() if m != "m0"} | {"new": group.members["m0"]})
    after = owners(uniform(with_assignment(smaller, before), topics))
    share, odd = divmod(len(after), len(smaller.members))
    had = [load(before.get(member_id, {})) for member_id in smaller.members]
    most_kept = sum(min(mine, share) for mine in had) + min(odd, sum(mine > share for mine in had))
    kept = sum(owner == after[partition] for partition, owner in owners(before).items())
    assert kept == most_kept


@both
@given(situation=situations(alike=True, racked=False))
def test_when_a_member_leaves_nobody_else_loses_a_partition(name: str, situation: Situation) -> None:
    group, topics = situation
    before = ASSIGNORS[name](group, topics)
    others = GroupSpec({m: spec for m, spec in group.members.items() if m != "m0"})
    after = ASSIGNORS[name](with_assignment(others, before), topics)
    for member_id in others.members:
        assert all(partitions <= after[member_id][t] for t, partitions in before[member_id].items())


@both
@given(situation=situations(alike=True, racked=False))
def test_when_a_member_joins_partitions_move_to_it_alone(name: str, situation: Situation) -> None:
    group, topics = situation
    before = ASSIGNORS[name](group, topics)
    more = GroupSpec({**group.members, "new": MemberSpec(subscribed=frozenset(topics))})
    after = ASSIGNORS[name](with_assignment(more, before), topics)
    was = owners(before)
    moved = {partition: owner for partition, owner in owners(after).items() if was[partition] != owner}
    assert set(moved.values()) <= {"new"}
    if name == "uniform":
        assert len(moved) == len(was) // len(more.members)


@given(situation=situations(alike=None, racked=True))
def test_racks_cost_no_balance(situation: Situation) -> None:
    group, topics = situation
    rackless = GroupSpec({m: MemberSpec(spec.subscribed, spec.assigned) for m, spec in group.members.items()})
    assert loads_by_size(uniform(group, topics)) == loads_by_size(uniform(rackless, topics))


@settings(max_examples=60)
@given(
    topics=views(racked=True, topics_max=2, partitions_max=3),
    racks=st.lists(st.sampled_from(["a", "b", "c", "elsewhere"]), min_size=1, max_size=3),
)
def test_with_even_shares_as_many_partitions_are_read_nearby_as_any_balanced_assignment_allows(
    topics: TopicView, racks: list[str]
) -> None:
    members = {f"m{n}": MemberSpec(subscribed=frozenset(topics), rack=rack) for n, rack in enumerate(racks)}
    group = GroupSpec(members)
    owned = owners(uniform(group, topics))
    share, odd = divmod(len(owned), len(racks))
    if odd:
        return
    partitions = sorted(owned)
    balanced = (c for c in product(members, repeat=len(partitions)) if all(c.count(m) == share for m in members))
    best = max(nearby(group, topics, dict(zip(partitions, chosen, strict=True))) for chosen in balanced)
    assert nearby(group, topics, owned) == best


@given(situation=situations())
def test_range_gives_equal_numbers_of_equal_topics_to_one_member(situation: Situation) -> None:
    group, topics = situation
    assignment = ranges(group, topics)
    for one, other in product(topics, repeat=2):
        alike = all((one in m.subscribed) == (other in m.subscribed) for m in group.members.values())
        if alike and topics[one].partitions == topics[other].partitions:
            assert all(mine.get(one) == mine.get(other) for mine in assignment.values())


@given(situation=situations())
def test_range_shares_every_topic_evenly(situation: Situation) -> None:
    group, topics = situation
    assignment = ranges(group, topics)
    for topic_id in topics:
        readers = [m for m, spec in group.members.items() if topic_id in spec.subscribed]
        if readers:
            assert spread({m: len(assignment[m].get(topic_id, ())) for m in readers}) <= 1


@given(situation=situations(racked=False, new=True))
def test_range_gives_a_new_group_ranges_in_the_order_of_its_members(situation: Situation) -> None:
    group, topics = situation
    assignment = ranges(group, topics)
    static_first = sorted(
        group.members, key=lambda m: (group.members[m].instance_id is None, group.members[m].instance_id, m)
    )
    for topic_id, shape in topics.items():
        readers = [m for m in static_first if topic_id in group.members[m].subscribed]
        in_turn = [number for m in readers for number in sorted(assignment[m].get(topic_id, ()))]
        sizes = [len(assignment[m].get(topic_id, ())) for m in readers]
        assert in_turn == (list(range(shape.partitions)) if readers else [])
        assert sizes == sorted(sizes, reverse=True)


@given(situation=situations(alike=True, racked=False), grown=st.integers(1, 5))
def test_topics_that_grow_leave_everyone_what_it_had(situation: Situation, grown: int) -> None:
    group, topics = situation
    before = uniform(group, topics)
    larger = {t: TopicShape(shape.partitions + grown) for t, shape in topics.items()}
    after = owners(uniform(with_assignment(group, before), larger))
    assert all(after[partition] == owner for partition, owner in owners(before).items())
