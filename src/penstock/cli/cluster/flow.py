"""Plan first, then do: what drain, rebalance and reassign share."""

import functools
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from penstock.cli.client import Cluster
from penstock.cli.cluster.plan_files import plan_json
from penstock.cli.cluster.planning.facts import Key, Move
from penstock.cli.cluster.running import Running
from penstock.cli.cluster.throttling import throttle, unthrottle
from penstock.cli.cluster.words import ByteRate, show_plan, summary
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.files import FileToWrite
from penstock.cli.output import note, print_json
from penstock.model.words import counted

AT_ONCE = 20
FAILURES_SHOWN = 10


class PlanOptions(msgspec.Struct, frozen=True):
    yes: bool
    all_rows: bool
    throttle_bytes: int | None
    at_once: int
    save: Path | None
    as_json: bool


def plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command what a plan is run with, handed over as `wishes`."""

    @click.option("-y", "--yes", is_flag=True, help="Do it. Without, the plan is shown and nothing changed.")
    @click.option("--throttle", "throttle_bytes", type=ByteRate(), metavar="BYTES", help="Copy at most so many bytes a "
                  "second from and to each broker, such as 20M.")  # fmt: skip
    @click.option("--at-once", type=click.IntRange(min=1), default=AT_ONCE, show_default=True, metavar="N",
                  help="Move so many partitions at a time.")  # fmt: skip
    @click.option("--save", type=FileToWrite(), metavar="FILE", help="Write the plan to a "
                  "file, for `penstock cluster reassign --file` or Kafka's own tool.")  # fmt: skip
    @click.option("--all", "all_rows", is_flag=True, help="Show every move of a long plan.")
    @click.option("--json", "as_json", is_flag=True, help="Print the plan in JSON, as Kafka's tool has it.")
    @functools.wraps(command)
    def with_wishes(
        yes: bool,
        all_rows: bool,
        throttle_bytes: int | None,
        at_once: int,
        save: Path | None,
        as_json: bool,
        **rest: Any,
    ) -> Any:
        return command(wishes=PlanOptions(yes, all_rows, throttle_bytes, at_once, save, as_json), **rest)

    return with_wishes


def carry_out(
    cluster: Cluster,
    moves: Sequence[Move],
    wishes: PlanOptions,
    *,
    under_way: Iterable[Key] = (),
    again: str,
) -> ExitCode:
    """Show the plan; with --yes, do it. `again`: the command that goes on after an interruption."""
    waited_for = sorted(under_way)
    _show(moves, wishes)
    if not moves and not waited_for:
        note("nothing to move")
        return ExitCode.OK
    if waited_for:
        note(f"{len(waited_for)} partitions are moving already")
    if not wishes.yes:
        note("nothing was changed: --yes does it")
        return ExitCode.OK
    running = Running(cluster, at_once=wishes.at_once, shows_progress=True)
    topics = {move.topic for move in moves} | {topic for topic, _ in waited_for}
    try:
        if wishes.throttle_bytes is not None:
            throttle(cluster, moves, wishes.throttle_bytes)
        running.run(moves, under_way=waited_for)
        unthrottle(cluster, topics)
    except KeyboardInterrupt:
        note("\nStopped watching. The cluster goes on with what was begun (at the given rate, if one was given).")
        note(f"  `{again}` goes on, `penstock cluster reassign --cancel --yes` undoes what is not finished.")
        return ExitCode.INTERRUPTED
    return _outcome(running, len(moves) + len(waited_for))


def _show(moves: Sequence[Move], wishes: PlanOptions) -> None:
    if wishes.save is not None:
        wishes.save.write_text(json.dumps(plan_json(moves), indent=2) + "\n", encoding="utf-8")
        note(f"plan written to {wishes.save}")
    if wishes.as_json:
        print_json(plan_json(moves))
    elif moves:
        show_plan(moves, all_rows=wishes.all_rows)
        note(summary(moves))


def _outcome(running: Running, count: int) -> ExitCode:
    if running.failures:
        lines = [f"{name}: {reason}" for name, reason in sorted(running.failures.items())]
        more = [] if len(lines) <= FAILURES_SHOWN else [f"... and {len(lines) - FAILURES_SHOWN} more"]
        raise Failure(
            f"{len(lines)} of {count} partitions were not moved", hint="\n".join([*lines[:FAILURES_SHOWN], *more])
        )
    note(f"done: {counted(count, 'partition')}")
    return ExitCode.OK
