"""Who should lead what, so that each broker leads as many partitions as any other, changing as few as possible.

A replica's rank says who should lead: the first. A broker that leads too many hands one to the nearest broker that
leads too few, along the shortest chain of partitions that both ends keep (A to B, B to C): each link changes one
partition's order. A chain ends where one fewer and one more make the counts more even, so every step does, and it ends.
"""

from collections.abc import Iterable, Mapping

from penstock.cli.cluster.planning.facts import Key, Replicas

Chain = list[tuple[Key, int]]
"""Partitions, and who leads each from now on."""


def even_leaders(
    wanted: Mapping[Key, Replicas], brokers: Iterable[int], *, may_change: Iterable[Key] | None = None
) -> dict[Key, Replicas]:
    """The same replicas, some with another one first. Only `brokers` get more; `may_change` limits what is changed."""
    alive = sorted(brokers)
    changeable = set(wanted if may_change is None else may_change)
    result = dict(wanted)
    led: dict[int, set[Key]] = {broker: set() for broker in alive}
    for key, replicas in sorted(wanted.items()):
        if replicas and replicas[0] in led:
            led[replicas[0]].add(key)
    while (chain := _best_chain(result, led, changeable)) is not None:
        for key, leader in chain:
            led[result[key][0]].discard(key)
            led[leader].add(key)
            result[key] = (leader, *(broker for broker in result[key] if broker != leader))
    return result


def _best_chain(result: dict[Key, Replicas], led: dict[int, set[Key]], changeable: set[Key]) -> Chain | None:
    for giver in sorted(led, key=lambda broker: (-len(led[broker]), broker)):
        chain = _chain_from(giver, result, led, changeable)
        if chain is not None:
            return chain
    return None


def _chain_from(
    giver: int, result: dict[Key, Replicas], led: dict[int, set[Key]], changeable: set[Key]
) -> Chain | None:
    """Breadth first: the first taker found is a nearest one."""
    few_enough = len(led[giver]) - 2
    if not led or min(len(keys) for keys in led.values()) > few_enough:
        return None
    reached: dict[int, Chain] = {giver: []}
    frontier = [giver]
    while frontier:
        further: list[int] = []
        for broker in frontier:
            for key in sorted(led[broker] & changeable):
                for other in result[key][1:]:
                    if other in led and other not in reached:
                        reached[other] = [*reached[broker], (key, other)]
                        further.append(other)
        takers = [broker for broker in further if len(led[broker]) <= few_enough]
        if takers:
            return reached[min(takers, key=lambda broker: (len(led[broker]), broker))]
        frontier = further
    return None
