"""When a broker's process looks for garbage: seldom over everything, and then when nobody waits.

A round over all objects takes a quarter of a microsecond for each: tens of milliseconds with a thousand connections, in
the middle of whatever is being answered. Nearly all garbage is freed without any round, as nothing refers to it, and
most of the rest dies young, which short rounds find. So Python's own full rounds are turned off, and one is made here
when the broker has next to nothing to do, or when much has come since the last one.

Only a process that is a broker and nothing else does any of this: a test's process has objects of its own.
"""

import asyncio
import gc
import time
from typing import Final

YOUNG_MAX: Final = 1_000
SHORT_ROUNDS_MAX: Final = 10
"""With the above: a short round looks at some 11,000 objects, for two or three milliseconds."""
NEVER: Final = 1_000_000_000

LOOK_S: Final = 5.0
QUIET_CPU_SHARE: Final = 0.1
"""Of one core, over the last look: with less the broker is quiet."""
DUE_AFTER: Final = 2
"""Longer rounds over what is neither young nor old, since the last full one: with fewer there is little to find."""
OVERDUE_AFTER: Final = 100
"""About a million objects more than at the last full round: however busy the broker is, that is looked through."""
OVERDUE_S: Final = 300.0


def freeze_memory() -> None:
    """Take what is in memory now out of all rounds, modules and tables that stay for good; no more full ones.

    Until then there were none at all (`penstock up` turns them off): imports make next to no garbage, and the rounds
    over what they make took an eighth of the start.
    """
    gc.freeze()
    gc.set_threshold(YOUNG_MAX, SHORT_ROUNDS_MAX, NEVER)
    gc.enable()


async def keep_memory() -> None:
    """Never returns."""
    collected_at = looked_at = time.monotonic()
    used_s = time.process_time()
    while True:
        await asyncio.sleep(LOOK_S)
        now, now_used_s = time.monotonic(), time.process_time()
        share = (now_used_s - used_s) / (now - looked_at)
        looked_at, used_s = now, now_used_s
        if is_due(gc.get_count()[2], cpu_share=share, waited_s=now - collected_at):
            gc.collect()
            collected_at = time.monotonic()


def is_due(rounds: int, *, cpu_share: float, waited_s: float) -> bool:
    """Whether everything shall be looked through now, after so many rounds over younger objects."""
    if rounds >= OVERDUE_AFTER:
        return True
    return rounds >= DUE_AFTER and (cpu_share < QUIET_CPU_SHARE or waited_s >= OVERDUE_S)
