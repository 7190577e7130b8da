"""Evening out: replicas by count, then bytes, then who should lead; with the fewest replicas moved that do it.

Counts: one replica at a time from who keeps most to who keeps least, until they differ by one at most. Each such move
is needed, and which replica goes is chosen so that bytes even out too. Bytes: further moves and swaps that leave the
counts even, only while brokers differ by enough to be worth the copying. Leaders: replicas change their order, which
copies nothing. Replicas on brokers that are not alive stay where they are.
"""

from bisect import bisect_left

from penstock.cli.cluster.planning.broker_loads import BrokerLoads
from penstock.cli.cluster.planning.facts import ClusterFacts, Key, Move, moves_between
from penstock.cli.cluster.planning.leaders import even_leaders

TOLERANCE = 0.10
"""Brokers may differ by this share of what they keep on average before bytes are moved for evenness."""
WORTH_MOVING_BYTES = 64 << 20
"""Below this no difference is worth a copy."""
GAIN_MIN = 0.10
"""A step must close this share of the gap between two brokers."""
NEIGHBOURS = 4
"""Partitions of about the right size that are looked at as the other half of a swap."""


def rebalanced(facts: ClusterFacts) -> list[Move]:
    loads = BrokerLoads(facts, facts.brokers)
    while loads.brokers:
        before = dict(loads.replicas)
        _even_counts(loads)
        _even_bytes(loads)
        # What goes for the sake of bytes may make room in a rack for what counts asked for. It ends: no step makes
        # counts more uneven, and one that leaves them as they are makes bytes less so.
        if loads.replicas == before:
            break
    return moves_between(facts, even_leaders(loads.replicas, loads.brokers))


# Counts -----------------------------------------------------------------------------------------------------------


def _even_counts(loads: BrokerLoads) -> None:
    began_with = {broker: loads.count(broker) for broker in loads.brokers}

    def fullest_first(broker: int) -> tuple[int, int, int]:
        # Of equals, those that began with more: who just got something keeps it.
        return -loads.count(broker), -began_with[broker], broker

    while True:
        givers = sorted(loads.brokers, key=fullest_first)
        step = next(
            (
                (giver, taker, key)
                for giver in givers
                for taker in reversed(givers)
                if loads.count(giver) - loads.count(taker) > 1
                if (key := _best_to_give(loads, giver, taker)) is not None
            ),
            None,
        )
        if step is None:
            return
        giver, taker, key = step
        loads.move(key, old=giver, new=taker)


def _best_to_give(loads: BrokerLoads, giver: int, taker: int) -> Key | None:
    half_gap = (loads.size_bytes[giver] - loads.size_bytes[taker]) / 2
    possible = [key for key in loads.kept[giver] if loads.may_move(key, old=giver, new=taker)]
    return min(possible, key=lambda key: (abs(loads.size_of(key) - half_gap), loads.size_of(key), key), default=None)


# Bytes ------------------------------------------------------------------------------------------------------------


def _even_bytes(loads: BrokerLoads) -> None:
    average = sum(loads.size_bytes.values()) / len(loads.brokers)
    enough = max(TOLERANCE * average, WORTH_MOVING_BYTES)
    for _ in range(len(loads.replicas) + 1):  # each step closes a gap; this bounds odd cases
        by_size = sorted(loads.brokers, key=lambda broker: (loads.size_bytes[broker], broker))
        if not any(
            _close_gap(loads, giver, taker)
            for giver in reversed(by_size)
            for taker in by_size
            if loads.size_bytes[giver] - loads.size_bytes[taker] > enough
        ):
            return


def _close_gap(loads: BrokerLoads, giver: int, taker: int) -> bool:
    """One move or swap between the two; False when none closes enough of the gap."""
    gap = loads.size_bytes[giver] - loads.size_bytes[taker]
    options = [*_moves(loads, giver, taker), *_swaps(loads, giver, taker, gap)]

    def left_over(option: tuple[Key, Key | None]) -> tuple[float, int, Key]:
        given, taken = option
        size_taken = 0 if taken is None else loads.size_of(taken)
        shift = loads.size_of(given) - size_taken
        return abs(gap - 2 * shift), loads.size_of(given) + size_taken, given

    best = min(options, key=left_over, default=None)
    if best is None or left_over(best)[0] > (1 - GAIN_MIN) * gap:
        return False
    given, taken = best
    loads.move(given, old=giver, new=taker)
    if taken is not None:
        loads.move(taken, old=taker, new=giver)
    return True


def _moves(loads: BrokerLoads, giver: int, taker: int) -> list[tuple[Key, None]]:
    """One way, where the counts stay as even as they are."""
    if loads.count(giver) <= loads.count(taker):
        return []
    return [(key, None) for key in loads.kept[giver] if loads.may_move(key, old=giver, new=taker)]


def _swaps(loads: BrokerLoads, giver: int, taker: int, gap: int) -> list[tuple[Key, Key]]:
    """Pairs whose sizes differ by about half the gap."""
    back = sorted((loads.size_of(key), key) for key in loads.kept[taker] if giver not in loads.replicas[key])
    found: list[tuple[Key, Key]] = []
    for given in loads.kept[giver]:
        if not loads.may_move(given, old=giver, new=taker):
            continue
        middle = bisect_left(back, (loads.size_of(given) - gap // 2, ("", 0)))
        for _, taken in back[max(middle - NEIGHBOURS, 0) : middle + NEIGHBOURS]:
            if loads.may_move(taken, old=taker, new=giver):
                found.append((given, taken))
    return found
