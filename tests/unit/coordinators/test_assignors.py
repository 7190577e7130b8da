"""The assignors by example; what they promise of any group is in tests/properties/test_assignor_properties.py."""

import os
import subprocess
import sys

from tests.support.assigning import a_group, check_owners, loads, loads_by_size, nearby, owners, topic, with_assignment

from penstock.coordinators.groups.assignors import ASSIGNORS, GroupSpec, MemberSpec, TopicShape

uniform, ranges = ASSIGNORS["uniform"], ASSIGNORS["range"]
ORDERS, BILLS, GOODS = topic(1), topic(2), topic(3)


def numbers(*partitions: int) -> frozenset[int]:
    return frozenset(partitions)


def test_uniform_shares_seven_partitions_of_two_topics_among_three_members() -> None:
    topics = {ORDERS: TopicShape(4), BILLS: TopicShape(3)}
    assert uniform(a_group("m1", "m2", "m3", topics=topics), topics) == {
        "m1": {ORDERS: numbers(0, 3), BILLS: numbers(2)},
        "m2": {ORDERS: numbers(1), BILLS: numbers(0)},
        "m3": {ORDERS: numbers(2), BILLS: numbers(1)},
    }


def test_uniform_gives_a_member_that_joins_no_more_than_its_share() -> None:
    topics = {ORDERS: TopicShape(6)}
    settled = uniform(a_group("m1", "m2", topics=topics), topics)
    after = uniform(with_assignment(a_group("m1", "m2", "m3", topics=topics), settled), topics)
    assert settled == {"m1": {ORDERS: numbers(0, 2, 4)}, "m2": {ORDERS: numbers(1, 3, 5)}}
    assert after == {"m1": {ORDERS: numbers(0, 2)}, "m2": {ORDERS: numbers(1, 3)}, "m3": {ORDERS: numbers(4, 5)}}


def test_uniform_passes_partitions_along_where_no_single_move_would_help() -> None:
    # m1 may read orders only, m3 bills only: m1 is relieved by m2, who passes one of the bills on to m3.
    topics = {ORDERS: TopicShape(3), BILLS: TopicShape(3)}
    group = GroupSpec(
        {
            "m1": MemberSpec(frozenset([ORDERS]), {ORDERS: numbers(0, 1, 2)}),
            "m2": MemberSpec(frozenset([ORDERS, BILLS]), {BILLS: numbers(0, 1)}),
            "m3": MemberSpec(frozenset([BILLS]), {BILLS: numbers(2)}),
        }
    )
    assert loads(uniform(group, topics)) == {"m1": 2, "m2": 2, "m3": 2}


def test_members_who_are_subscribed_to_nothing_that_exists_get_nothing() -> None:
    topics = {ORDERS: TopicShape(2)}
    members = {"m1": MemberSpec(frozenset([ORDERS])), "m2": MemberSpec(frozenset([GOODS]), {GOODS: numbers(0)})}
    for assign in ASSIGNORS.values():
        assert assign(GroupSpec(members), topics) == {"m1": {ORDERS: numbers(0, 1)}, "m2": {}}
        assert assign(GroupSpec({}), topics) == {}


def test_partitions_are_read_nearby_where_balance_allows() -> None:
    topics = {ORDERS: TopicShape(4, tuple(map(frozenset, ("b", "b", "a", "a"))))}
    group = a_group("m1", "m2", topics=topics, racks={"m1": "a", "m2": "b"})
    for assign in ASSIGNORS.values():
        assert assign(group, topics) == {"m1": {ORDERS: numbers(2, 3)}, "m2": {ORDERS: numbers(0, 1)}}


def test_balance_comes_before_racks() -> None:
    topics = {ORDERS: TopicShape(4, (frozenset("a"),) * 4)}
    group = a_group("m1", "m2", topics=topics, racks={"m1": "a", "m2": "b"})
    for assign in ASSIGNORS.values():
        assert loads(assign(group, topics)) == {"m1": 2, "m2": 2}


def test_three_racks_exchange_in_a_ring_what_no_two_of_them_could() -> None:
    racks = ("b", "bc", "ca")
    topics = {ORDERS: TopicShape(3, tuple(map(frozenset, racks)))}
    settled = a_group("m1", "m2", "m3", topics=topics, racks={"m1": "a", "m2": "b", "m3": "c"})
    group = with_assignment(settled, {f"m{n + 1}": {ORDERS: numbers(n)} for n in range(3)})
    after = uniform(group, topics)
    assert owners(after) == {(ORDERS, 0): "m2", (ORDERS, 1): "m3", (ORDERS, 2): "m1"}


def test_range_gives_the_same_numbers_of_topics_of_one_size_to_one_member() -> None:
    topics = {ORDERS: TopicShape(5), BILLS: TopicShape(5), GOODS: TopicShape(2)}
    assert ranges(a_group("m1", "m2", topics=topics), topics) == {
        "m1": {ORDERS: numbers(0, 1, 2), BILLS: numbers(0, 1, 2), GOODS: numbers(0)},
        "m2": {ORDERS: numbers(3, 4), BILLS: numbers(3, 4), GOODS: numbers(1)},
    }


def test_range_leaves_the_others_their_ranges_when_a_member_goes() -> None:
    topics = {ORDERS: TopicShape(6), BILLS: TopicShape(6)}
    settled = ranges(a_group("m1", "m2", "m3", topics=topics), topics)
    after = ranges(with_assignment(a_group("m2", "m3", topics=topics), settled), topics)
    assert {m: mine[ORDERS] for m, mine in after.items()} == {"m2": numbers(0, 2, 3), "m3": numbers(1, 4, 5)}
    assert all(mine[ORDERS] == mine[BILLS] for mine in after.values())


def test_range_lets_a_topic_that_joins_others_follow_them() -> None:
    topics = {ORDERS: TopicShape(4), BILLS: TopicShape(4)}
    held = {"m1": {ORDERS: numbers(1, 3)}, "m2": {ORDERS: numbers(0, 2)}}
    after = ranges(with_assignment(a_group("m1", "m2", topics=topics), dict(held)), topics)
    assert {m: mine[BILLS] for m, mine in after.items()} == {"m1": numbers(1, 3), "m2": numbers(0, 2)}


def test_range_orders_static_members_by_instance_before_the_others() -> None:
    topics = {ORDERS: TopicShape(3)}
    everything = frozenset(topics)
    group = GroupSpec(
        {
            "a": MemberSpec(everything),
            "b": MemberSpec(everything, instance_id="i2"),
            "c": MemberSpec(everything, instance_id="i1"),
        }
    )
    assert owners(ranges(group, topics)) == {(ORDERS, 0): "c", (ORDERS, 1): "b", (ORDERS, 2): "a"}


def test_range_reads_co_partitioned_topics_in_a_rack_that_all_of_them_have() -> None:
    near = {ORDERS: ("ab", "ab"), BILLS: ("bc", "ac")}  # in common: b, a
    topics = {t: TopicShape(2, tuple(map(frozenset, racks))) for t, racks in near.items()}
    group = a_group("m1", "m2", topics=topics, racks={"m1": "a", "m2": "b"})
    after = ranges(group, topics)
    assert after == {m: {ORDERS: numbers(n), BILLS: numbers(n)} for m, n in (("m1", 1), ("m2", 0))}
    assert nearby(group, topics, owners(after)) == 4


def test_a_thousand_members_share_ten_thousand_partitions_ten_each() -> None:
    topics = {topic(number): TopicShape(100) for number in range(100)}
    group = a_group(*(f"m{number}" for number in range(1_000)), topics=topics)
    for assign in ASSIGNORS.values():
        check_owners(group, topics, assign(group, topics))
    assert loads_by_size(uniform(group, topics)) == {10: 1_000}


def test_the_answer_does_not_depend_on_how_strings_are_hashed() -> None:
    program = """
from penstock.coordinators.groups.assignors import ASSIGNORS, GroupSpec, MemberSpec, TopicShape
racks = [frozenset(pair) for pair in ("ab", "bc", "ca", "ab", "c")]
topics = {bytes([n]) * 16: TopicShape(5, tuple(racks[n % 3 :] + racks[: n % 3])) for n in range(6)}
wishes = [frozenset(list(topics)[: 2 + n % 5]) for n in range(20)]
group = GroupSpec({f"m{n}": MemberSpec(wishes[n], rack="abcd"[n % 4]) for n in range(20)})
for assign in ASSIGNORS.values():
    print(sorted((m, sorted((t, sorted(p)) for t, p in mine.items())) for m, mine in assign(group, topics).items()))
"""
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1
