"""Groups for the tests of assignors: specs by hypothesis, and what is asked of every assignment."""

from collections import Counter
from collections.abc import Mapping

from hypothesis import strategies as st

from penstock.coordinators.groups.assignors import (
    Assignment,
    GroupAssignment,
    GroupSpec,
    MemberSpec,
    TopicShape,
    TopicView,
)
from penstock.model import TopicId

RACKS = ("a", "b", "c")
Owners = dict[tuple[TopicId, int], str]


def topic(number: int) -> TopicId:
    return TopicId(number.to_bytes(16, "big"))


def a_group(*member_ids: str, topics: TopicView, racks: Mapping[str, str] | None = None) -> GroupSpec:
    """Everyone subscribed to everything, nobody with anything yet."""
    subscribed = frozenset(topics)
    return GroupSpec({m: MemberSpec(subscribed=subscribed, rack=(racks or {}).get(m)) for m in member_ids})


def with_assignment(group: GroupSpec, assignment: GroupAssignment) -> GroupSpec:
    """The same members, who now have what they were assigned; those the assignment does not know are new."""
    return GroupSpec(
        {
            member_id: MemberSpec(
                subscribed=member.subscribed,
                assigned=assignment.get(member_id, {}),
                rack=member.rack,
                instance_id=member.instance_id,
            )
            for member_id, member in group.members.items()
        }
    )


def owners(assignment: GroupAssignment) -> Owners:
    """Who owns each partition; fails if one has two owners."""
    result: Owners = {}
    for member_id, mine in assignment.items():
        for topic_id, partitions in mine.items():
            assert partitions, "a topic without partitions is not listed"
            for partition in partitions:
                assert (topic_id, partition) not in result
                result[topic_id, partition] = member_id
    return result


def every_partition(group: GroupSpec, topics: TopicView) -> set[tuple[TopicId, int]]:
    subscribed = {topic_id for member in group.members.values() for topic_id in member.subscribed}
    return {(t, p) for t, shape in topics.items() if t in subscribed for p in range(shape.partitions)}


def loads(assignment: GroupAssignment) -> dict[str, int]:
    return {member_id: load(mine) for member_id, mine in assignment.items()}


def load(assignment: Assignment) -> int:
    return sum(map(len, assignment.values()))


def nearby(group: GroupSpec, topics: TopicView, owned: Owners) -> int:
    """How many partitions are read from another rack, as far as anybody knows, taken from all."""
    return len(owned) - sum(
        (rack := group.members[member_id].rack) is not None
        and bool(racks := topics[topic_id].racks_of(partition))
        and rack not in racks
        for (topic_id, partition), member_id in owned.items()
    )


def check_owners(group: GroupSpec, topics: TopicView, assignment: GroupAssignment) -> Owners:
    """Every member is answered, every partition of a subscribed topic has one owner, who is subscribed to it."""
    assert assignment.keys() == group.members.keys()
    owned = owners(assignment)
    assert owned.keys() == every_partition(group, topics)
    assert all(topic_id in group.members[member_id].subscribed for (topic_id, _), member_id in owned.items())
    return owned


def spread(counts: Mapping[str, int]) -> int:
    return max(counts.values()) - min(counts.values())


def loads_by_size(assignment: GroupAssignment) -> Counter[int]:
    return Counter(loads(assignment).values())


@st.composite
def views(draw: st.DrawFn, *, topics_max: int = 4, partitions_max: int = 9, racked: bool = False) -> TopicView:
    rack_sets = st.frozensets(st.sampled_from(RACKS), min_size=1, max_size=2)
    shapes = {}
    for number in range(draw(st.integers(1, topics_max))):
        partitions = draw(st.integers(0, partitions_max))
        racks = draw(st.lists(rack_sets, min_size=partitions, max_size=partitions)) if racked else []
        shapes[topic(number)] = TopicShape(partitions, tuple(racks))
    return shapes


@st.composite
def groups(
    draw: st.DrawFn, topics: TopicView, *, alike: bool, members_max: int = 7, racked: bool = False, new: bool = False
) -> GroupSpec:
    """Members may be static, and may say that they have anything, also what is not there or what others have too."""
    everything = st.frozensets(st.sampled_from(sorted(topics)), min_size=1)
    anything = st.dictionaries(
        st.integers(0, len(topics)).map(topic), st.frozensets(st.integers(0, 10), min_size=1), max_size=3
    )
    members = {}
    for number in range(draw(st.integers(1, members_max))):
        members[f"m{number}"] = MemberSpec(
            subscribed=frozenset(topics) if alike else draw(everything),
            assigned={} if new else draw(anything),
            rack=draw(st.sampled_from((None, *RACKS, "elsewhere", "nowhere"))) if racked else None,
            instance_id=draw(st.sampled_from((None, f"i{9 - number}"))),
        )
    return GroupSpec(members)
