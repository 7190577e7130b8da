"""What is measured of Penstock by itself: how long its one event loop is held, what idempotence adds, and what a second
broker on the machine does.
"""

from collections.abc import Callable
from pathlib import Path

from benchmarks import holds, instructions, load_offsets, micro_assignors, workers
from benchmarks.figures import Alone, alone
from benchmarks.loadgen import LoadDriver
from benchmarks.plan import Plan

OFFSETS_AT_ONCE = 1_000


def measure(plan: Plan, driver: LoadDriver, folder: Path, executable: Path, say: Callable[[str], None]) -> list[Alone]:
    """With no other broker running: these look at single steps, which another process would interrupt."""
    values = holds.measure(folder, executable, rounds=plan.rebalances, say=say)
    values |= micro_assignors.measure()
    values |= load_offsets.measure(plan.offsets, OFFSETS_AT_ONCE, say)
    figures = holds.figures() + micro_assignors.figures() + load_offsets.figures(plan.offsets)
    if plan.workers_bytes:
        values |= workers.measure(
            driver, folder, executable, amount_bytes=plan.workers_bytes, touch_bytes=plan.touch_bytes,
            rounds=plan.one.rounds, say=say,
        )  # fmt: skip
        figures += workers.figures()
    if plan.counts_instructions:
        values |= instructions.measure()
        figures += instructions.figures()
    return alone(figures, values)
