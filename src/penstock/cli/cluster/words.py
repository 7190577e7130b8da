"""Bytes and plans as people read them."""

import re
from collections.abc import Sequence

import click

from penstock.cli.cluster.planning.facts import Move
from penstock.cli.output import note, print_table
from penstock.model.words import counted

ROWS_SHOWN = 40
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?(?:/s)?", re.IGNORECASE)


def bytes_text(count: int) -> str:
    size = float(count)
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError


class ByteRate(click.ParamType):  # type: ignore[type-arg]
    """10M, 1.5G, 500000: bytes, in units of 1024."""

    name = "bytes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value).strip())
        if found is None or float(found[1]) <= 0:
            self.fail(f"{value!r} is no number of bytes, such as 10M", param, ctx)
        return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


def summary(moves: Sequence[Move]) -> str:
    copied = [move for move in moves if move.adding]
    reordered = len(moves) - len(copied)
    parts = []
    if copied:
        replicas = sum(len(move.adding) for move in copied)
        known = [move.copied_bytes for move in copied if move.copied_bytes is not None]
        at_least = "at least " if len(known) < len(copied) else ""
        total = at_least + bytes_text(sum(known))
        parts.append(f"{counted(replicas, 'replica')} of {counted(len(copied), 'partition')} to copy ({total})")
    if reordered:
        parts.append(f"{counted(reordered, 'partition')} with another one that should lead")
    return ", ".join(parts)


def show_plan(moves: Sequence[Move], *, all_rows: bool) -> None:
    shown = moves if all_rows else moves[:ROWS_SHOWN]
    print_table(
        ["partition", "now", "then", "copied to", "bytes"],
        [
            [move.name, _ids(move.before), _ids(move.after), _ids(move.adding) or "-", _size(move.copied_bytes)]
            for move in shown
        ],
    )
    if len(shown) < len(moves):
        note(f"... and {len(moves) - len(shown)} more (--all shows them)")


def _size(count: int | None) -> str | None:
    return None if count is None else bytes_text(count)


def _ids(brokers: Sequence[int]) -> str:
    return ",".join(str(broker) for broker in brokers)
