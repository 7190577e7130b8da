"""`penstock group reset`: move what a group has committed, after showing what that means."""

import time

import click

from penstock.cli.client import Cluster, client_options, require_partition, topic_missing
from penstock.cli.exits import ExitCode, Failure, NotFound
from penstock.cli.group.behind import known_ranges
from penstock.cli.group.facts import committed_offsets, find_groups, group_missing, refuse_if_active
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
    plan_reset,
)
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.places import Place
from penstock.cli.records import parse_length_ms, parse_time
from penstock.cli.topic.offsets import offsets_at_time
from penstock.client import place
from penstock.model.words import counted


@click.command(no_args_is_help=True)
@click.argument("name", metavar="GROUP")
@click.option("-t", "--topic", "choices", multiple=True, metavar="TOPIC[:PARTITIONS]",
              help="What to reset: orders, orders:2 or orders:0,2-4; repeatable.")  # fmt: skip
@click.option("--all-topics", is_flag=True, help="Reset every partition that the group has committed.")
@click.option("--to-offset", type=click.IntRange(min=0), help="To this offset.")
@click.option("--to-earliest", is_flag=True, help="To the oldest record.")
@click.option("--to-latest", is_flag=True, help="To the end: whatever comes next.")
@click.option("--to-time", metavar="TIME",
              help="To the first record from then: 2026-01-31T12:00, 10m (ago), or ms since 1970.")  # fmt: skip
@click.option("--by-duration", metavar="LENGTH", help="To the first record of the last 90s, 10m, 2h30m or 7d.")
@click.option("--shift-by", type=int, metavar="RECORDS", help="So many offsets on, or back: --shift-by -100.")
@click.option("--create", is_flag=True, help="Commit for a group that does not exist yet.")
@click.option("-y", "--yes", is_flag=True, help="Do it. Without, the plan is shown and nothing changed.")
@client_options
@json_option
def reset(
    *,
    name: str,
    choices: tuple[str, ...],
    all_topics: bool,
    to_offset: int | None,
    to_earliest: bool,
    to_latest: bool,
    to_time: str | None,
    by_duration: str | None,
    shift_by: int | None,
    create: bool,
    yes: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Move the committed offsets of GROUP: shows the plan, and does it with --yes. Refused while members are active.

    \b
    penstock group reset billing --topic orders --to-earliest        show the plan
    penstock group reset billing --topic orders --to-earliest --yes  do it
    penstock group reset billing --topic orders:0-3 --by-duration 2h
    """
    target = _target(to_offset, to_earliest, to_latest, to_time, by_duration, shift_by)
    selections = _selections(choices, all_topics=all_topics)
    facts = find_groups(cluster, [name])[name]
    if facts is None and not create:
        raise group_missing(
            name, cluster,
            hint="`penstock group list` shows them. --create commits for a group that does not exist yet.",
        )  # fmt: skip
    if facts is not None:
        refuse_if_active(facts, doing="reset")
    committed = committed_offsets(cluster, [name])[name]
    places = sorted(committed) if all_topics else _places(cluster, selections)
    if not places:
        raise NotFound(f"{name} has committed nothing", hint="--topic TOPIC names what to reset.")
    moves = plan_reset(target, _standings(cluster, places, committed, target))
    does_something = any(move.does_something for move in moves)
    if yes and does_something:
        _carry_out(cluster, name, moves)
    _show(name, moves, is_done=yes, as_json=as_json)
    if not does_something:
        note("nothing to change")
    elif yes:
        note(f"done: {counted(sum(move.does_something for move in moves), 'partition')} of {name} moved")
    else:
        note("nothing was changed: this is the plan, --yes does it")
    return ExitCode.OK


def _target(
    to_offset: int | None,
    to_earliest: bool,
    to_latest: bool,
    to_time: str | None,
    by_duration: str | None,
    shift_by: int | None,
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
        raise click.UsageError(
            "choose one of --to-offset, --to-earliest, --to-latest, --to-time, --by-duration and --shift-by"
        )
    return wanted[0]


def _selections(choices: tuple[str, ...], *, all_topics: bool) -> list[Selection]:
    if bool(choices) == all_topics:
        raise click.UsageError("say what to reset: --topic TOPIC[:PARTITIONS], once or more, or --all-topics")
    try:
        return [parse_selection(choice) for choice in choices]
    except ValueError as error:
        raise click.UsageError(f"--topic: {error}") from None


def _places(cluster: Cluster, selections: list[Selection]) -> list[Place]:
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


def _standings(
    cluster: Cluster, places: list[Place], committed: dict[Place, int], target: Target
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


def _carry_out(cluster: Cluster, name: str, moves: list[Move]) -> None:
    wanted = {
        place(move.topic, move.partition): move.after
        for move in moves
        if move.after is not None and move.does_something
    }
    for where, outcome in cluster.client().commit_offsets(name, wanted).items():
        cluster.value(outcome, doing=f"reset {name} in {where}")


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
