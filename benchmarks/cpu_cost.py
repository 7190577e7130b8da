"""CPU time of a call: the best of several repeats, since noise only adds. Steadier than the wall clock and clients."""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import process_time_ns
from typing import Any

from rich.console import Console
from rich.table import Table

REPEATS = 7
_ENOUGH_NS = 150_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """One line of a micro-benchmark."""

    key: str
    title: str
    us: float


def cost_us(work: Callable[[], Any], calls_max: int = 1 << 20) -> float:
    """Of one call."""
    calls = 1
    while calls < calls_max and spent_ns(work, calls) < _ENOUGH_NS / 4:
        calls *= 2
    return min(spent_ns(work, calls) for _ in range(REPEATS)) / calls / 1000


def spent_ns(work: Callable[[], Any], calls: int) -> int:
    gc.collect()
    began = process_time_ns()
    for _ in range(calls):
        work()
    return process_time_ns() - began


def cost_of_each_us(work: Callable[[Any], Any], over: Sequence[Any]) -> float:
    """Of one call, each with an argument of its own: once through all of them."""
    gc.collect()
    began = process_time_ns()
    for each in over:
        work(each)
    return (process_time_ns() - began) / len(over) / 1000


def yielding(kinds: Iterable[Callable[[], float]], rounds: int) -> list[float]:
    """The best of so many rounds for each, in turns: so that what changes meanwhile changes for all."""
    kinds = list(kinds)
    values = [[kind() for kind in kinds] for _ in range(rounds)]
    return [min(each) for each in zip(*values, strict=True)]


def show(title: str, costs: Sequence[Cost]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("CPU µs", justify="right")
    for cost in costs:
        table.add_row(cost.title, f"{cost.us:,.2f}")
    Console().print(table)
