"""Plans for moving partitions: whatever the cluster, replicas stay whole, nothing is spread less, and little moves."""

from collections import Counter
from collections.abc import Iterable
from math import ceil, floor

from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.cli.cluster.planning import (
    ClusterFacts,
    Move,
    NoPlace,
    PartitionFacts,
    Place,
    drained,
    even_leaders,
    rebalanced,
)

GIB = 1 << 30


@st.composite
def clusters(draw: st.DrawFn, *, racks: bool = True, dead: bool = True) -> ClusterFacts:
    ids = draw(st.lists(st.integers(0, 20), min_size=1, max_size=7, unique=True))
    rack = st.sampled_from([None, "a", "b", "c"]) if racks else st.none()
    host = st.sampled_from(["m1", "m2", "m3", "m4"]) if racks else st.just("m")
    brokers = {number: Place(number, draw(host), draw(rack)) for number in ids}
    anyone = [*ids, *([99] if dead else [])]
    count = draw(st.integers(0, 30))
    partitions = []
    for index in range(count):
        replicas = tuple(draw(st.lists(st.sampled_from(anyone), min_size=1, max_size=min(3, len(anyone)), unique=True)))
        size = draw(st.sampled_from([0, 1, GIB, 3 * GIB, 10 * GIB]))
        partitions.append(PartitionFacts("t", index, replicas, replicas[0], replicas, size))
    return ClusterFacts(brokers, partitions)


def after(facts: ClusterFacts, moves: Iterable[Move]) -> ClusterFacts:
    new = {(move.topic, move.index): move.after for move in moves}
    return ClusterFacts(
        facts.brokers,
        [
            PartitionFacts(each.topic, each.index, replicas, replicas[0], replicas, each.size_bytes)
            for each in facts.partitions
            for replicas in [new.get(each.key, each.replicas)]
        ],
    )


def replicas_of(facts: ClusterFacts) -> Counter[int]:
    counted = Counter(dict.fromkeys(facts.brokers, 0))
    counted.update(broker for each in facts.partitions for broker in each.replicas if broker in facts.brokers)
    return counted


def leaders_of(facts: ClusterFacts) -> Counter[int]:
    counted = Counter(dict.fromkeys(facts.brokers, 0))
    counted.update(each.replicas[0] for each in facts.partitions if each.replicas[0] in facts.brokers)
    return counted


def assert_sound(facts: ClusterFacts, moves: list[Move]) -> None:
    """Replicas stay as many, on different brokers; newcomers are alive; no partition is spread over less."""
    before = {each.key: each.replicas for each in facts.partitions}
    for move in moves:
        assert before[(move.topic, move.index)] == move.before != move.after
        assert len(move.after) == len(move.before) == len(set(move.after))
        assert set(move.adding) <= set(facts.brokers)
    assert len({move.name for move in moves}) == len(moves)


@given(clusters())
def test_a_rebalance_keeps_every_partition_whole_and_spread(facts: ClusterFacts) -> None:
    moves = rebalanced(facts)
    assert_sound(facts, moves)
    for move in moves:
        hosts, racks = facts.spread(move.before)
        hosts_after, racks_after = facts.spread(move.after)
        assert hosts_after >= hosts and racks_after >= racks
        assert all(broker in facts.brokers for broker in move.removing), "what is on a dead broker stays there"


@given(clusters(racks=False, dead=False))
def test_without_racks_counts_differ_by_one_at_most_and_no_replica_moves_in_vain(facts: ClusterFacts) -> None:
    same_size = [PartitionFacts(each.topic, each.index, each.replicas) for each in facts.partitions]
    small = ClusterFacts(facts.brokers, same_size)
    moves = rebalanced(small)
    before, end = replicas_of(small), replicas_of(after(small, moves))
    assert max(end.values()) - min(end.values()) <= 1
    average = sum(before.values()) / len(before)
    too_many = sum(max(0, count - ceil(average)) for count in before.values())
    too_few = sum(max(0, floor(average) - count) for count in before.values())
    assert sum(len(move.adding) for move in moves) == max(too_many, too_few)


@given(clusters())
def test_a_rebalance_makes_counts_no_more_uneven(facts: ClusterFacts) -> None:
    """Of leaders that is promised where replicas stay: replicas and bytes come first, and a partition's only replica
    takes its leader along.
    """
    moves = rebalanced(facts)
    end = after(facts, moves)
    assert spread_of(replicas_of(end)) <= max(spread_of(replicas_of(facts)), 1)
    if not any(move.adding for move in moves):
        assert spread_of(leaders_of(end)) <= spread_of(leaders_of(facts))


def test_bytes_go_before_leaders() -> None:
    """Broker 0 has two gibibytes and the others none. One goes, with its leader, though leaders were even."""
    kept = [((0,), GIB), ((0,), GIB), ((2, 0), 0), ((1,), 0), ((1,), 0), ((2,), 0)]
    facts = ClusterFacts(
        {number: Place(number, "m", None) for number in range(3)},
        [
            PartitionFacts("t", index, replicas, replicas[0], replicas, size)
            for index, (replicas, size) in enumerate(kept)
        ],
    )
    (move,) = rebalanced(facts)
    assert (move.before, move.after) == ((0,), (1,))
    assert leaders_of(facts) == {0: 2, 1: 2, 2: 2}
    assert leaders_of(after(facts, [move])) == {0: 1, 1: 3, 2: 2}


def spread_of(counted: Counter[int]) -> int:
    return max(counted.values()) - min(counted.values())


def _racks_that_free_up() -> ClusterFacts:
    """Moving bytes makes room in a rack for a replica that counts alone could not move."""
    racks = ("a", None, None, "a", None, "a", "a")
    small, mirrored, large = [(0,)] * 7, [(0, 1)] * 2, [(0, 1, 3)] * 2
    rows = [*small, *mirrored, *large, (0,)]
    sizes = [*[0] * 9, GIB, GIB, 0]
    return ClusterFacts(
        {number: Place(number, "m1", rack) for number, rack in enumerate(racks)},
        [
            PartitionFacts("t", index, replicas, 0, replicas, size)
            for index, (replicas, size) in enumerate(zip(rows, sizes, strict=True))
        ],
    )


@given(clusters())
@example(_racks_that_free_up())
@settings(max_examples=60)
def test_a_second_rebalance_finds_nothing_to_do(facts: ClusterFacts) -> None:
    assert rebalanced(after(facts, rebalanced(facts))) == []


@given(clusters())
def test_a_drained_broker_keeps_nothing_and_only_its_partitions_move(facts: ClusterFacts) -> None:
    leaving = min(facts.brokers)
    try:
        moves = drained(facts, {leaving})
    except NoPlace:
        staying = set(facts.brokers) - {leaving}
        assert any(leaving in each.replicas and staying <= set(each.replicas) for each in facts.partitions)
        return
    assert_sound(facts, moves)
    assert {move.name for move in moves} == {each.name for each in facts.partitions if leaving in each.replicas}
    assert all(move.removing == (leaving,) and len(move.adding) == 1 for move in moves)


@given(clusters(dead=False))
def test_a_dead_broker_can_be_drained_too(facts: ClusterFacts) -> None:
    gone = max(facts.brokers)
    alive = ClusterFacts({number: place for number, place in facts.brokers.items() if number != gone}, facts.partitions)
    try:
        moves = drained(alive, {gone})
    except NoPlace:
        return
    assert all(gone not in each.replicas for each in after(alive, moves).partitions)


@given(clusters())
def test_leaders_even_out_by_order_alone(facts: ClusterFacts) -> None:
    wanted = {each.key: each.replicas for each in facts.partitions}
    evened = even_leaders(wanted, facts.brokers)
    assert evened.keys() == wanted.keys()
    assert all(sorted(evened[key]) == sorted(wanted[key]) for key in wanted)
    changed = [key for key in wanted if evened[key] != wanted[key]]
    assert all(evened[key][0] in facts.brokers for key in changed)


@given(st.integers(2, 6), st.integers(0, 40))
def test_where_everybody_keeps_everything_leaders_differ_by_one_at_most(brokers: int, partitions: int) -> None:
    everyone = tuple(range(brokers))
    wanted = {("t", index): everyone for index in range(partitions)}
    evened = even_leaders(wanted, everyone)
    led = Counter(dict.fromkeys(everyone, 0))
    led.update(replicas[0] for replicas in evened.values())
    assert max(led.values()) - min(led.values()) <= 1
    kept = sum(replicas[0] == 0 for replicas in evened.values())
    assert sum(evened[key] != wanted[key] for key in wanted) == partitions - kept, "only who gives is changed"
