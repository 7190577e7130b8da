"""Balance: nobody holds two items more than another who could hold one of them.

Within one pool that is a matter of arithmetic (`release_surplus`, then `hand_out`): of n items over m members each
holds n // m, and n % m of them one more. Whoever holds more gives up the difference and nothing else, so fewer moves
are not possible.

Across pools a member can be too full though nobody it could give to is emptier by two: its item goes to a neighbour,
who passes one of its own on, and so on (`level`). An assignment is as balanced as it can be exactly when no such chain
leads from a member to one that holds at least two items less (optimal semi-matching, Harvey and others 2003).
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace

from penstock.coordinators.groups.assignors.working_assignment import WorkingAssignment

Queue = list[tuple[int, int]]
"""A heap of (load, member)."""


def allowances(loads: Sequence[int], items: int) -> list[int]:
    """How many items each member ends up with: the fullest get the odd ones, so that the fewest move."""
    share, odd = divmod(items, len(loads))
    allowed = [share] * len(loads)
    for place in sorted(range(len(loads)), key=lambda place: -loads[place])[:odd]:
        allowed[place] += 1
    return allowed


def release_surplus(work: WorkingAssignment, members: Sequence[int], allowed: Sequence[int]) -> None:
    for member, most in zip(members, allowed, strict=True):
        surplus = len(work.held[member]) - most
        if surplus > 0:
            for item in work.parting_order(member)[:surplus]:
                work.release(item)


def hand_out(work: WorkingAssignment, members: Sequence[int], items: Sequence[int]) -> None:
    """Give each item to the emptiest member; of equally empty ones, to one in a rack where it can be read nearby."""
    queues = _queues(work, members) if items else {}
    for item in items:
        queue = _best(queues, item, work) if len(queues) > 1 else queues[None]
        _refresh(queue, work)
        load, member = queue[0]
        work.give(item, member)
        heapreplace(queue, (load + 1, member))


def _queues(work: WorkingAssignment, members: Sequence[int]) -> dict[str | None, Queue]:
    """Emptiest first, by rack; one queue for all where racks play no part."""
    by_rack: dict[str | None, list[int]] = {}
    for member in members:
        by_rack.setdefault(work.member_racks[member], []).append(member)
    if work.item_racks is None or len(by_rack) == 1:
        return {None: _queue(work, members)}
    return {rack: _queue(work, mine) for rack, mine in by_rack.items()}


def _queue(work: WorkingAssignment, members: Sequence[int]) -> Queue:
    queue = [(len(work.held[member]), member) for member in members]
    heapify(queue)
    return queue


def _refresh(queue: Queue, work: WorkingAssignment) -> None:
    """Bring the head up to date: its member may have been given something on the strength of another pool."""
    while queue[0][0] != len(work.held[queue[0][1]]):
        heapreplace(queue, (len(work.held[queue[0][1]]), queue[0][1]))


def _best(queues: dict[str | None, Queue], item: int, work: WorkingAssignment) -> Queue:
    assert work.item_racks is not None
    near = work.item_racks[item]
    best, chosen = None, None
    for rack, queue in queues.items():
        _refresh(queue, work)
        load, member = queue[0]
        rank = load, bool(near) and rack is not None and rack not in near, member
        if best is None or rank < best:
            best, chosen = rank, queue
    assert chosen is not None
    return chosen


def level(work: WorkingAssignment, pools: Sequence[Sequence[int]], pool_of: Sequence[int]) -> None:
    """Pass items along chains of members until no chain helps. `pools` lists members, `pool_of` the pool of an item.

    Members are looked at fullest first. If no chain helps the fullest, none helps anyone it can reach, and nobody else
    gains by a chain through them (all of them hold as many as the fullest, or one less): they are done for good, so the
    searches that find nothing cost one walk over the group altogether.
    """
    fullest = [(-len(items), member) for member, items in enumerate(work.held)]
    heapify(fullest)
    emptiest = [_queue(work, members) for members in pools]
    done: set[int] = set()
    while fullest:
        load, member = heappop(fullest)
        if member in done or -load != len(work.held[member]):
            continue
        reached = _Reached(member)
        last = _neighbour(work, emptiest, pool_of, reached)
        if last is None and (last := _search(work, pools, pool_of, reached, done)) is None:
            done |= reached.came_from.keys()
            continue
        _pass_along(work, pool_of, reached, last)
        heappush(fullest, (-len(work.held[member]), member))
        heappush(fullest, (-len(work.held[last]), last))


class _Reached:
    """How each member was reached from the first one: from whom, through which pool."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.came_from: dict[int, tuple[int, int] | None] = {first: None}


def _neighbour(
    work: WorkingAssignment, emptiest: Sequence[Queue], pool_of: Sequence[int], reached: _Reached
) -> int | None:
    """The short way to what `_search` finds, for the many moves that need no chain.

    A queue knows nothing of a member that has become emptier since, and so may miss one: then the search finds it.
    """
    first, best = reached.first, None
    for pool in sorted({pool_of[item] for item in work.held[first]}):
        _refresh(emptiest[pool], work)
        best = min(best or (*emptiest[pool][0], pool), (*emptiest[pool][0], pool))
    if best is None or best[0] > len(work.held[first]) - 2:
        return None
    reached.came_from[best[1]] = first, best[2]
    return best[1]


def _search(
    work: WorkingAssignment, pools: Sequence[Sequence[int]], pool_of: Sequence[int], reached: _Reached, done: set[int]
) -> int | None:
    """The emptiest of the nearest members that hold at least two items less than the first one."""
    low_enough = len(work.held[reached.first]) - 2
    came_from, pools_seen = reached.came_from, set[int]()
    ring = [reached.first]
    while ring:
        next_ring: list[int] = []
        for member in ring:
            for pool in sorted({pool_of[item] for item in work.held[member]} - pools_seen):
                pools_seen.add(pool)
                for other in pools[pool]:
                    if other not in came_from and other not in done:
                        came_from[other] = member, pool
                        next_ring.append(other)
        emptiest = min(((len(work.held[other]), other) for other in next_ring), default=None)
        if emptiest is not None and emptiest[0] <= low_enough:
            return emptiest[1]
        ring = next_ring
    return None


def _pass_along(work: WorkingAssignment, pool_of: Sequence[int], reached: _Reached, last: int) -> None:
    """Backwards, so that each member passes on what it held before: a chain moves one item a link."""
    step = reached.came_from[last]
    while step is not None:
        giver, pool = step
        order = work.parting_order(giver, to=last)
        work.move(next(item for item in order if pool_of[item] == pool), last)
        last, step = giver, reached.came_from[giver]
