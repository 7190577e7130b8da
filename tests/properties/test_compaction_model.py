"""Compaction against its model: whatever the history, a table built from the log is the same before and after."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.compaction import (
    DAY_MS,
    NOW,
    a_compacted_log,
    batches,
    clean,
    committed,
    data_records,
    latest,
    mark,
    put,
    roll,
    settle,
)
from tests.support.logs import reopen

from penstock.log.partition_log import PartitionLog
from penstock.wire.markers import MarkerType
from penstock.wire.records import Record, check

KEYS = st.sampled_from(["a", "b", "c", "d" * 40, ""]) | st.none()
VALUES = st.sampled_from(["1", "22", "x" * 50]) | st.none()
PAIRS = st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4)

Step = tuple[str, object, object]

PUT = st.tuples(st.just("put"), PAIRS, st.integers(0, 4))
IDEMPOTENT = st.tuples(st.just("idempotent"), PAIRS, st.integers(0, 1))
TRANSACTIONAL = st.tuples(st.just("transactional"), PAIRS, st.integers(2, 3))
END = st.tuples(st.just("end"), st.sampled_from(MarkerType), st.integers(2, 3))
ROLL = st.tuples(st.just("roll"), st.none(), st.none())
HISTORIES = st.lists(PUT | PUT | IDEMPOTENT | TRANSACTIONAL | END | ROLL, max_size=30)


def _written(log: PartitionLog, history: Sequence[Step]) -> PartitionLog:
    sequences = dict.fromkeys(range(4), 0)
    for kind, what, which in history:
        match kind, what, which:
            case "put", list(pairs), int(codec):
                put(log, *pairs, codec=codec)
            case (("idempotent" | "transactional"), list(pairs), int(producer)):
                put(log, *pairs, producer=producer, sequence=sequences[producer], transactional=kind == "transactional")
                sequences[producer] += len(pairs)
            case "end", MarkerType() as type_, int(producer):
                mark(log, type_, producer=producer)
            case _:
                roll(log)
    roll(log)
    put(log, ("active", "1"))
    settle(log)
    return log


def _is_subset(kept: list[Record], original: list[Record]) -> bool:
    by_offset = {record.offset: record for record in original}
    return all(by_offset.get(record.offset) == record for record in kept)


@settings(deadline=None, max_examples=40)
@given(HISTORIES, st.integers(1, 12), st.sampled_from(["400", "100000"]))
def test_compaction_keeps_the_latest_of_each_key_and_every_offset(
    history: Sequence[Step], keys_max: int, segment_bytes: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = _written(a_compacted_log(Path(folder), internal_segment_bytes=segment_bytes), history)
        original, table, end_offset = data_records(log), latest(committed(log)), log.end_offset
        producers, stable = log.producers.last_batches(), log.producers.last_stable_offset(log.end_offset)
        upto = rounds = 0
        while upto < (done := clean(log, first_dirty=upto, keys_max=keys_max).upto):
            upto, rounds = done, rounds + 1
            assert latest(committed(log)) == table
            assert _is_subset(data_records(log), original)
        cleaned = [record for record in data_records(log) if record.offset < upto]
        assert len({record.key for record in cleaned}) == len(cleaned)
        assert None not in {record.key for record in cleaned}
        assert log.end_offset == end_offset
        offsets = [(header.base_offset, header.last_offset) for header, _ in batches(log)]
        assert all(before[1] < after[0] for before, after in pairwise(offsets))
        for _, batch in batches(log):
            check(batch, consecutive=False)

        again = reopen(log)
        assert again.trouble is None
        assert data_records(again) == data_records(log)
        assert latest(committed(again)) == table
        assert again.producers.last_batches() == producers
        assert again.producers.last_stable_offset(log.end_offset) <= stable


@settings(deadline=None, max_examples=25)
@given(HISTORIES)
def test_compaction_is_idempotent_and_tombstones_go_in_the_end(history: Sequence[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = _written(a_compacted_log(Path(folder)), history)
        table = latest(committed(log))
        upto = clean(log).upto
        once = data_records(log)
        clean(log)
        assert data_records(log) == once
        clean(log, now=NOW + DAY_MS)
        assert latest(committed(log)) == table
        assert all(record.value is not None for record in data_records(log) if record.offset < upto)


class Crash(BaseException):
    """The machine stops here."""


class Steps:
    """Stands in for os.rename and os.unlink, and crashes before a given one of them."""

    def __init__(self, crash_at: int) -> None:
        self.left = crash_at

    def before(self, real: Callable[..., None]) -> Callable[..., None]:
        def step(*arguments: object, **more: object) -> None:
            if not self.left:
                raise Crash
            self.left -= 1
            real(*arguments, **more)

        return step


@contextmanager
def _crashing(at: int) -> Iterator[None]:
    steps = Steps(at)
    with ExitStack() as patches:
        for name in ("rename", "unlink", "replace"):
            patches.enter_context(mock.patch.object(os, name, steps.before(getattr(os, name))))
        yield


HISTORY: Sequence[Step] = [
    ("put", [("a", "1"), ("b", "1")], 0),
    ("transactional", [("a", "aborted")], 2),
    ("roll", None, None),
    ("put", [("a", "2"), ("c", None)], 1),
    ("end", MarkerType.ABORT, 2),
    ("roll", None, None),
    ("put", [("b", "2")], 0),
]


@pytest.mark.parametrize("recovery_crashes_at", [None, 2, 5])
def test_a_crash_at_any_step_of_the_swap_leaves_the_old_or_the_new(
    tmp_path: Path, recovery_crashes_at: int | None
) -> None:
    untouched = _written(a_compacted_log(tmp_path / "model"), HISTORY)
    old, table = data_records(untouched), latest(committed(untouched))
    clean(untouched)
    new = data_records(untouched)
    outcomes = set()
    for crash_at in range(100):
        log = _written(a_compacted_log(tmp_path / str(crash_at)), HISTORY)
        try:
            with _crashing(crash_at):
                clean(log)
        except Crash:
            pass
        else:
            break
        if recovery_crashes_at is not None:
            try:
                with _crashing(recovery_crashes_at):
                    reopen(log)
            except Crash:
                pass
        again = reopen(log)
        assert again.trouble is None
        records = data_records(again)
        assert records in (old, new), f"a mixture after a crash at step {crash_at}"
        assert latest(committed(again)) == table
        outcomes.add(records == new)
    assert outcomes == {True, False} and crash_at > 10
