"""What the simple assignor promises of any share group: all is read, balance, stickiness, the same answer always."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tests.support.assigning import groups, load, loads, spread, topic, views, with_assignment

from penstock.coordinators.groups.assignors import GroupAssignment, GroupSpec, MemberSpec
from penstock.coordinators.groups.assignors.simple import assign_shared
from penstock.model import TopicId

Assignable = dict[TopicId, frozenset[int]]


@st.composite
def situations(draw: st.DrawFn, *, alike: bool | None = None) -> tuple[GroupSpec, Assignable]:
    topics = draw(views())
    alike = draw(st.booleans()) if alike is None else alike
    group = draw(groups(topics, alike=alike))
    gaps = st.frozensets(st.integers(0, 9), max_size=3)
    return group, {topic_id: frozenset(range(shape.partitions)) - draw(gaps) for topic_id, shape in topics.items()}


def readers(assignment: GroupAssignment) -> Counter[tuple[TopicId, int]]:
    return Counter(
        (topic_id, partition)
        for mine in assignment.values()
        for topic_id, partitions in mine.items()
        for partition in partitions
    )


def wanted(group: GroupSpec, assignable: Assignable) -> set[tuple[TopicId, int]]:
    topics = {topic_id for member in group.members.values() for topic_id in member.subscribed}
    return {(topic_id, part) for topic_id, parts in assignable.items() if topic_id in topics for part in parts}


@given(situation=situations())
def test_every_partition_that_somebody_wants_is_read_by_those_who_want_it_alone(
    situation: tuple[GroupSpec, Assignable],
) -> None:
    group, assignable = situation
    assignment = assign_shared(group.members, assignable)
    assert assignment.keys() == group.members.keys()
    assert readers(assignment).keys() == wanted(group, assignable)
    for member_id, mine in assignment.items():
        assert mine.keys() <= group.members[member_id].subscribed
        assert all(mine.values()), "a topic without partitions is not listed"


@given(situation=situations())
def test_everybody_has_something_to_read_if_there_is_anything_it_wants(
    situation: tuple[GroupSpec, Assignable],
) -> None:
    group, assignable = situation
    assignment = assign_shared(group.members, assignable)
    for member_id, member in group.members.items():
        assert bool(load(assignment[member_id])) == any(assignable.get(topic_id) for topic_id in member.subscribed)


@given(situation=situations(alike=True))
def test_members_with_the_same_topics_differ_by_one_at_most_and_so_do_partitions(
    situation: tuple[GroupSpec, Assignable],
) -> None:
    group, assignable = situation
    assignment = assign_shared(group.members, assignable)
    assert spread(loads(assignment)) <= 1
    counts = readers(assignment)
    assert not counts or max(counts.values()) == min(counts.values())


@given(situation=situations())
def test_what_was_assigned_is_assigned_again(situation: tuple[GroupSpec, Assignable]) -> None:
    group, assignable = situation
    first = assign_shared(group.members, assignable)
    second = assign_shared(with_assignment(group, first).members, assignable)
    assert second == first
    assert all(second[member_id] is first[member_id] for member_id in first)


@given(situation=situations(), data=st.data())
def test_the_order_in_which_members_and_topics_are_listed_changes_nothing(
    situation: tuple[GroupSpec, Assignable], data: st.DataObject
) -> None:
    group, assignable = situation
    others = dict(data.draw(st.permutations(list(group.members.items()))))
    other_topics = dict(data.draw(st.permutations(list(assignable.items()))))
    assert assign_shared(others, other_topics) == assign_shared(group.members, assignable)


@given(members=st.integers(1, 9), partitions=st.integers(1, 9))
def test_no_more_moves_than_a_member_that_comes_or_goes_makes_necessary(members: int, partitions: int) -> None:
    """While each partition has one reader: a newcomer gets its share and nobody else anything; what one leaves goes to
    others and nothing else moves.
    """
    if members >= partitions:
        return
    assignable = {topic(0): frozenset(range(partitions))}
    group = {f"m{number}": MemberSpec(frozenset(assignable)) for number in range(members)}
    before = assign_shared(group, assignable)
    grown = {**with_assignment(GroupSpec(group), before).members, "new": MemberSpec(frozenset(assignable))}
    after = assign_shared(grown, assignable)
    for member_id in before:
        assert after[member_id].get(topic(0), frozenset()) <= before[member_id][topic(0)]
    rest = dict(with_assignment(GroupSpec(grown), after).members)
    del rest["new"]
    again = assign_shared(rest, assignable)
    for member_id in rest:
        assert after[member_id].get(topic(0), frozenset()) <= again[member_id][topic(0)]


def test_two_members_that_exchange_a_partition_do_not_both_keep_it() -> None:
    """Each partition is to have two readers. m0 lacks one and reads 1 already, which lacks a reader."""
    held = {"m0": {1}, "m1": {0}, "m2": {0}}
    members = {
        name: MemberSpec(frozenset({topic(0)}), assigned={topic(0): frozenset(mine)}) for name, mine in held.items()
    }
    assignment = assign_shared(members, {topic(0): frozenset({0, 1})})
    assert sum(readers(assignment).values()) == 4 and set(readers(assignment).values()) == {2}
