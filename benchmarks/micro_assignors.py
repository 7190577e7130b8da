"""What an assignment costs, by size of the group: python -m benchmarks.micro_assignors

Prints milliseconds of CPU time and asserts nothing about them. Groups that take longer than the event loop can spare
are for a thread: an assignor is a pure function over values that nobody changes.
"""

import timeit
from collections.abc import Callable
from random import Random
from time import process_time

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Better, Figure
from penstock.coordinators.groups.assignors import (
    ASSIGNORS,
    Assignor,
    GroupAssignment,
    GroupSpec,
    MemberSpec,
    TopicShape,
    TopicView,
)
from penstock.model import TopicId

RACKS = ("a", "b", "c")
RACK_PAIRS = tuple(frozenset(RACKS) - {rack} for rack in RACKS)
REPEATS = 9
_LARGE = 1_000
SIZES = ((100, 1_000, 10), (1_000, 1_000, 1), (1_000, 1_000, 100), (1_000, 10_000, 100))
"""Members, partitions, topics."""


def topics(count: int, *, partitions: int, racked: bool) -> TopicView:
    each = partitions // count
    racks = tuple(RACK_PAIRS[number * 7 % 3] for number in range(each)) if racked else ()
    return {TopicId(number.to_bytes(16, "big")): TopicShape(each, racks) for number in range(count)}


def alike(members: int, view: TopicView) -> GroupSpec:
    subscribed = frozenset(view)
    return GroupSpec({f"member-{n:05}": MemberSpec(subscribed, rack=RACKS[n % 3]) for n in range(members)})


def mixed(members: int, view: TopicView) -> GroupSpec:
    """Each subscribed to ten topics of its own choice."""
    dice, known = Random(848), sorted(view)
    return GroupSpec({f"member-{n:05}": MemberSpec(frozenset(dice.sample(known, 10))) for n in range(members)})


def assigned(group: GroupSpec, assignment: GroupAssignment) -> GroupSpec:
    return GroupSpec(
        {m: MemberSpec(spec.subscribed, assignment[m], spec.rack) for m, spec in group.members.items()},
    )


def situations(group: GroupSpec, view: TopicView, assign: Assignor) -> dict[str, GroupSpec]:
    settled = assigned(group, assign(group, view))
    first = next(iter(group.members))
    newcomers = {f"new-{m}": MemberSpec(spec.subscribed, rack=spec.rack) for m, spec in group.members.items()}
    return {
        "new": group,
        "unchanged": settled,
        "one joins": GroupSpec({**settled.members, "new": MemberSpec(group.members[first].subscribed, rack="a")}),
        "one leaves": GroupSpec({m: spec for m, spec in settled.members.items() if m != first}),
        "half leave": GroupSpec(dict(list(settled.members.items())[::2])),
        "as many join": GroupSpec({**settled.members, **newcomers}),
    }


def milliseconds(call: Callable[[], object]) -> float:
    return min(timeit.repeat(call, number=1, repeat=REPEATS, timer=process_time)) * 1e3


def main() -> None:
    rows: list[tuple[str, str, dict[str, float]]] = []
    for members, partitions, count in SIZES:
        for kind, racked in (("alike", False), ("alike", True), ("mixed", False)):
            if kind == "mixed" and count < 100:
                continue
            view = topics(count, partitions=partitions, racked=racked)
            group = mixed(members, view) if kind == "mixed" else alike(members, view)
            label = f"{members:,} x {partitions:,} in {count}, {kind}{' + racks' if racked else ''}"
            rows += [(label, name, _measure(group, view, assign)) for name, assign in ASSIGNORS.items()]
    table = Table("members x partitions in topics", "assignor", title="CPU ms an assignment")
    for situation in rows[0][2]:
        table.add_column(situation, justify="right")
    for label, name, figures in rows:
        table.add_row(label, name, *(f"{figure:.1f}" for figure in figures.values()))
    Console(width=124).print(table)


def figures() -> list[Figure]:
    """For the benchmark: the group that its rebalances are measured with."""
    return [
        Figure(f"assign.{name}_ms", f"assigning {_LARGE:,} partitions to as many members in a thread, {name}",
               "CPU ms", Better.LOWER)
        for name in ASSIGNORS
    ]  # fmt: skip


def measure() -> dict[str, list[float]]:
    """The slowest situation of each assignor."""
    view = topics(1, partitions=_LARGE, racked=False)
    group = alike(_LARGE, view)
    return {f"assign.{name}_ms": [max(_measure(group, view, assign).values())] for name, assign in ASSIGNORS.items()}


def _measure(group: GroupSpec, view: TopicView, assign: Assignor) -> dict[str, float]:
    specs = situations(group, view, assign)
    return {situation: milliseconds(lambda spec=spec: assign(spec, view)) for situation, spec in specs.items()}  # type: ignore[misc]


if __name__ == "__main__":
    main()
