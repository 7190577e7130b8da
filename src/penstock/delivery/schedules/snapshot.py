"""What waits on a schedule partition, as bytes: so that a start need not read all of its log. Pure.

    magic | head's length u32 | head, msgpack | arrays of the wheel's slices | ids | CRC-32C of all before

It is a cache of what the log says up to two offsets: records were taken in up to one, notes up to the other, which is
not lower, and which the high watermark had passed. Whoever has the same leader epoch at that place has the same log up
to there, and may begin with it. Anything else (another topic, another delay, a torn file) is no snapshot at all.
"""

import sys
from array import array
from collections.abc import Iterator
from typing import Final

import msgspec

from penstock.delivery.relay.entries import decode, encode
from penstock.delivery.schedules.offset_set import OffsetSet
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.delivery.schedules.state import ScheduleState
from penstock.delivery.schedules.wheel import Due, Wheel

MAGIC: Final = b"penstock schedule 1\n"
PIECE_BYTES: Final = 4 << 20
ID_BYTES: Final = 16


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Of which log, and up to where."""

    topic_id: bytes
    partition: int
    delay_ms: int
    records_to: int
    notes_to: int
    epoch: int
    """Of the record before `notes_to`."""


class Head(msgspec.Struct, array_like=True):
    place: Place
    byte_order: str
    reached: int
    slices: list[tuple[int, int, int]]
    """Level, number, and how many int64s."""
    others: list[Due]
    taken: tuple[int, dict[int, bytes]]
    finished: tuple[int, dict[int, bytes]]
    recurring: list[Due]
    waiting: int
    kept: tuple[int, int]
    ids: int
    entries: list[bytes]
    """The relay's: intents that are open, and how far they are done."""


class Contents(msgspec.Struct):
    """A snapshot that was read whole."""

    head: Head
    slices: list[tuple[int, int, "array[int]"]]
    id_offsets: "array[int]"
    ids: bytes


def is_possible(state: ScheduleState, high_watermark: int) -> bool:
    """Not while something is known that may yet be cut from the log, or that no snapshot holds."""
    is_known = not state.back and not state.machine.is_ahead and not state.unreadable
    return state.noted_to <= high_watermark and is_known


def pieces(state: ScheduleState, place: Place) -> Iterator[bytes]:
    """All but the checksum. The state stays as it is until the last piece was taken."""
    machine = state.machine
    wheel = machine.wheel
    slices = list(wheel.slices())
    id_offsets = array("q", machine.ids_of)
    head = Head(
        place=place,
        byte_order=sys.byteorder,
        reached=wheel.reached,
        slices=[(level, number, len(found)) for level, number, found in slices],
        others=[*wheel.at_hand(), *state.stage.all(), *state.aside, *state.held],
        taken=(machine.taken.floor, machine.taken.pages()),
        finished=(machine.finished_set.floor, machine.finished_set.pages()),
        recurring=[(each.due_ms, offset) for offset, each in machine.recurring.items()],
        waiting=machine.waiting,
        kept=(state.kept_to, state.kept_count),
        ids=len(id_offsets),
        entries=[encode(entry) for entry in state.relay.entries()],
    )
    coded = msgspec.msgpack.encode(head)
    yield MAGIC + len(coded).to_bytes(4, "big") + coded
    for _, _, found in slices:
        yield from _parts(found)
    yield from _parts(id_offsets)
    yield b"".join(machine.ids_of.values())


def _parts(numbers: "array[int]") -> Iterator[bytes]:
    step = PIECE_BYTES // numbers.itemsize
    for first in range(0, len(numbers), step):
        yield numbers[first : first + step].tobytes()


def restored(contents: Contents, now: int) -> ScheduleState:
    """But for recurring records: what those plan is to be read from the log."""
    head = contents.head
    state = ScheduleState(head.place.records_to, now)
    machine = state.machine
    machine.wheel = Wheel.restored(head.reached, contents.slices, head.others)
    machine.taken = OffsetSet.restored(*head.taken)
    machine.finished_set = OffsetSet.restored(*head.finished)
    ids = contents.ids
    machine.restore_ids(
        (offset, ids[at * ID_BYTES : (at + 1) * ID_BYTES]) for at, offset in enumerate(contents.id_offsets)
    )
    machine.waiting = head.waiting
    state.noted_to = state.restored_to = head.place.notes_to
    state.kept_to, state.kept_count = head.kept
    for refs in state.relay.restore(map(decode, head.entries), head.place.notes_to):
        machine.finished(decode_refs(refs))
    return state
