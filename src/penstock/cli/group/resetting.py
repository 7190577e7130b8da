"""What resets of both kinds of groups have in common: where to, which partitions, and the plan as it is shown."""

import functools
import time
from collections.abc import Callable, Mapping
from typing import Any

import click

from penstock.cli.client import Cluster, require_partition, topic_missing
from penstock.cli.exits import Failure
from penstock.cli.group.behind import known_ranges
from penstock.cli.group.reset_plan import (
    Move,
    PartitionOffsets,
    Selection,
    ShiftBy,
    Target,
    ToEarliest,
    ToLatest,
    ToOffset,
    ToTime,
    parse_selection,
)
from penstock.cli.output import note, print_json, print_table
from penstock.cli.places import Place
from penstock.cli.records import parse_length_ms, parse_time
from penstock.cli.topic.offsets import offsets_at_time
from penstock.client import place
from penstock.model import TopicPartition
from penstock.model.words import counted


def reset_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where to, which partitions, and whether to do it; handed over as `target`, `selections` (None: all) and `yes`."""

    @click.option("-t", "--topic", "choices", multiple=True, metavar="TOPIC[:PARTITIONS]",
                  help="What to reset: orders, orders:2 or orders:0,2-4; repeatable.")  # fmt: skip
    @click.option("--all-topics", is_flag=True, help="Reset every partition that the group has offsets of.")
    @click.option("--to-offset", type=click.IntRange(min=0), help="To this offset.")
    @click.option("--to-earliest", is_flag=True, help="To the oldest record.")
    @click.option("--to-latest", is_flag=True, help="To the end: whatever comes next.")
    @click.option("--to-time", metavar="TIME",
                  help="To the first record from then: 2026-01-31T12:00, 10m (ago), or ms since 1970.")  # fmt: skip
    @click.option("--by-duration", metavar="LENGTH", help="To the first record of the last 90s, 10m, 2h30m or 7d.")
    @click.option("-y", "--yes", is_flag=True, help="Do it. Without, the plan is shown and nothing changed.")
    @functools.wraps(command)
    def with_target(
        *,
        choices: tuple[str, ...],
        all_topics: bool,
        to_offset: int | None,
        to_earliest: bool,
        to_latest: bool,
        to_time: str | None,
        by_duration: str | None,
        **rest: Any,
    ) -> Any:
        may_shift = "shift_by" in rest
        target = _target(
            to_offset, to_earliest, to_latest, to_time, by_duration, rest.pop("shift_by", None), may_shift=may_shift
        )
        return command(target=target, selections=_selections(choices, all_topics=all_topics), **rest)

    return with_target


def _target(
    to_offset: int | None,
    to_earliest: bool,
    to_latest: bool,
    to_time: str | None,
    by_duration: str | None,
    shift_by: int | None,
    *,
    may_shift: bool,
) -> Target:
    now_ms = int(time.time() * 1_000)
    wanted: list[Target] = []
    try:
        if to_offset is not None:
            wanted.append(ToOffset(to_offset))
        if to_earliest:
            wanted.append(ToEarliest())
        if to_latest:
            wanted.append(ToLatest())
        if to_time is not None:
            wanted.append(ToTime(parse_time(to_time, now_ms=now_ms)))
        if by_duration is not None:
            wanted.append(ToTime(now_ms - parse_length_ms(by_duration)))
        if shift_by is not None:
            wanted.append(ShiftBy(shift_by))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if len(wanted) != 1:
        options = ["--to-offset", "--to-earliest", "--to-latest", "--to-time", "--by-duration"]
        raise click.UsageError(f"choose one of {', '.join([*options, '--shift-by'] if may_shift else options)}")
    return wanted[0]


def _selections(choices: tuple[str, ...], *, all_topics: bool) -> list[Selection] | None:
    if bool(choices) == all_topics:
        raise click.UsageError("say what to reset: --topic TOPIC[:PARTITIONS], once or more, or --all-topics")
    try:
        return None if all_topics else [parse_selection(choice) for choice in choices]
    except ValueError as error:
        raise click.UsageError(f"--topic: {error}") from None


def chosen_places(cluster: Cluster, selections: list[Selection]) -> list[Place]:
    with cluster.doing("list topics") as client:
        topics = client.list_topics()
    places: set[Place] = set()
    for selection in selections:
        if selection.topic not in topics:
            raise topic_missing(selection.topic, topics)
        existing = topics[selection.topic].partitions
        for index in sorted(existing) if selection.partitions is None else selection.partitions:
            require_partition(index, selection.topic, existing)
            places.add((selection.topic, index))
    return sorted(places)


def standings(
    cluster: Cluster, places: list[Place], committed: Mapping[Place, int | None], target: Target
) -> dict[Place, PartitionOffsets]:
    ranges = known_ranges(cluster, places)
    gone = [f"{topic}-{index}" for topic, index in places if ranges[topic, index].count is None]
    if gone:
        raise Failure(
            f"could not find the offsets of {', '.join(gone)}: deleted, or without a leader that answers",
            hint="Choose others with --topic TOPIC:PARTITIONS.",
        )
    times = offsets_at_time(cluster, places, target.timestamp_ms) if isinstance(target, ToTime) else {}
    return {
        place: PartitionOffsets(
            ranges[place].begin or 0, ranges[place].end or 0, committed.get(place), times.get(place)
        )
        for place in places
    }


def offsets_of(moves: list[Move]) -> dict[TopicPartition, int]:
    """What to write; nothing for partitions that stay where they are."""
    return {
        place(move.topic, move.partition): move.after
        for move in moves
        if move.after is not None and move.does_something
    }


def report(name: str, moves: list[Move], *, count: int, is_done: bool, as_json: bool) -> None:
    """`count`: of how many partitions something is written."""
    _show(name, moves, is_done=is_done, as_json=as_json)
    if not count:
        note("nothing to change")
    elif is_done:
        note(f"done: {counted(count, 'partition')} of {name} moved")
    else:
        note("nothing was changed: this is the plan, --yes does it")


def _show(name: str, moves: list[Move], *, is_done: bool, as_json: bool) -> None:
    if as_json:
        partitions = [
            {"topic": m.topic, "partition": m.partition, "from": m.before, "to": m.after, "change": m.change,
             "remark": m.remark}
            for m in moves
        ]  # fmt: skip
        print_json({"group": name, "done": is_done, "partitions": partitions})
        return
    has_remarks = any(move.remark for move in moves)
    print_table(
        ["topic", "partition", "from", "to", "change", *(["remark"] if has_remarks else [])],
        [
            [m.topic, m.partition, m.before, m.after, _signed(m.change), *([m.remark] if has_remarks else [])]
            for m in moves
        ],
    )


def _signed(change: int | None) -> str | None:
    return None if change is None else f"{change:+d}" if change else "0"
