"""What goes out next, and as what. Pure."""

from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from penstock.delivery.relay.batches import SENT_AT, moved, size_of
from penstock.delivery.schedules import plan
from penstock.delivery.schedules.machine import ScheduleMachine
from penstock.delivery.schedules.refs import Ref
from penstock.delivery.schedules.retries import ATTEMPT, RetryRules, dead_letter, retried
from penstock.delivery.schedules.stage import Stage
from penstock.delivery.schedules.wheel import Due
from penstock.wire.records import Record

RECORDS_MAX: Final = 1_000
"""In one intent."""
SCHEDULED_FROM: Final = "penstock-scheduled-from"
DUE: Final = "penstock-due"
_ACTED: Final = plan.HEADERS | {SCHEDULED_FROM, DUE, SENT_AT}
"""Does not travel: what the record asked for, and what an earlier journey left."""
ADDED_BYTES: Final = 512
"""What the headers that are added take at most, with a batch's own."""


class TargetLimits(msgspec.Struct, frozen=True):
    """What a target would refuse for good, and so hold up all behind it."""

    batch_bytes_max: int
    needs_keys: bool
    id_header: str | None = None
    """By it the target leaves out duplicates."""
    ids_need_keys: bool = False

    def takes(self, record: Record) -> bool:
        if size_of(record) + ADDED_BYTES > self.batch_bytes_max or (record.key is None and self.needs_keys):
            return False
        ids = [value for name, value in record.headers if name == self.id_header and self.id_header is not None]
        if not ids or ids[-1] is None:
            return True
        return ids[-1] != b"" and (record.key is not None or not self.ids_need_keys)


TAKES_NOTHING: Final = TargetLimits(0, needs_keys=False)


class Outgoing(msgspec.Struct):
    """Of one intent to be."""

    due: list[Due]
    refs: list[Ref]
    records: list[Record]
    size: int = 0


def choose(
    stage: Stage,
    machine: ScheduleMachine,
    limits: TargetLimits,
    now: int,
    aside: deque[Due],
    held: list[Due],
    goes_there: Callable[[Record], bool] = lambda _: True,
) -> Outgoing:
    """The next that are due and go to one target, as many as one batch takes. `aside` gets those that the target would
    not take, `held` those that an open transaction may cancel.
    """
    chosen = Outgoing([], [], [])
    offsets: set[int] = set()
    size_max = min(limits.batch_bytes_max, 900_000)
    for _ in range(RECORDS_MAX):
        first = stage.first()
        if first is None or first[0] > now or not stage.is_ready(first):
            break
        if first[1] in offsets or not machine.is_waiting(*first):  # it lies there twice if it was to be fired at once
            stage.pop()
            continue
        due, record = stage.pop()
        if machine.is_held(due[1]):
            held.append(due)
            continue
        if record is not None and not goes_there(record):
            stage.put_back(due, record)
            break
        if record is None or not limits.takes(record):
            aside.append(due)
            continue
        size = size_of(record) + ADDED_BYTES
        if chosen.due and chosen.size + size > size_max:
            stage.put_back(due, record)
            break
        ref = machine.ref_of(due, now)
        if ref is not None:
            offsets.add(due[1])
            chosen.due.append(due)
            chosen.refs.append(ref)
            chosen.records.append(record)
            chosen.size += size
    return chosen


class Route(msgspec.Struct, frozen=True):
    """From which partition, and what its records become on their way."""

    topic: str
    partition: int
    retry: RetryRules | None = None
    is_given_up: bool = False
    id_header: str | None = None
    """By it duplicates were left out here."""

    def outgoing(self, record: Record, due_ms: int) -> Record:
        """The record as its target gets it."""
        headers = [header for header in record.headers if header[0] not in _ACTED and header[0] != self.id_header]
        headers.append((SCHEDULED_FROM, f"{self.topic}-{self.partition}@{record.offset}".encode()))
        headers.append((DUE, b"%d" % due_ms))
        if self.retry is None:
            return moved(record, headers)
        headers = [header for header in headers if header[0] != ATTEMPT]
        if self.is_given_up:
            return dead_letter(record, headers, self.retry, topic=self.topic, partition=self.partition)
        return retried(record, headers, self.retry)
