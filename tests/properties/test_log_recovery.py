"""A log cut or corrupted anywhere: above the recovery point a clean prefix is left, below it damage is reported."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.logs import a_batch, a_log, base_offsets, headers_in, read_all

from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log.epochs import LEADER_EPOCH_MAX
from penstock.log.file_pool import FilePool
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import KnownLog, open_log
from penstock.wire.batch import BatchHeader

LEADER_EPOCH_BYTES = range(12, 16)
"""Outside the checksum: a change there is seen only if the epoch cannot be true. It has a test of its own."""


class Written(NamedTuple):
    """A batch as it was appended, and where."""

    path: str
    position: int
    base_offset: int
    next_offset: int
    data: bytes


class Made(NamedTuple):
    log: PartitionLog
    batches: list[Written]
    recovery_point: int


batch_shapes = st.tuples(
    st.integers(1, 4), st.integers(0, 120), st.integers(0, 1_000), st.sampled_from((0, 4)), st.integers(0, 3)
)
histories = st.lists(batch_shapes, min_size=1, max_size=25)


def make(folder: Path, history: list[tuple[int, int, int, int, int]], flush_after: int, interval: int) -> Made:
    """A log of several small segments, flushed after some of its batches, and then left as by kill -9."""
    log = a_log(folder, settings={"internal.segment.bytes": "700", "index.interval.bytes": str(interval)})
    batches = []
    for number, (count, value_bytes, timestamp, compression, epoch_step) in enumerate(history):
        epoch = max(log.epochs.latest, 0) + (epoch_step == 3)
        header, view = a_batch(
            log.end_offset,
            count=count,
            value_bytes=value_bytes,
            timestamp=1_000_000 + timestamp,
            leader_epoch=epoch,
            compression=compression,
        )
        log.append([(header, view)])
        active = log.active
        position = active.size - len(view)
        batches.append(Written(active.file.path, position, header.base_offset, header.next_offset, bytes(view)))
        if number + 1 == flush_after:
            log.flushing.flush()
    log.pool.close_all()
    return Made(log, batches, log.recovery_point)


def open_again(made: Made, *, is_clean: bool = False) -> PartitionLog:
    log = made.log
    known = KnownLog(is_clean=is_clean, recovery_point=made.recovery_point)
    return open_log(
        log.folder, log.partition, log.topic_id, known, config=log.config, pool=FilePool(8), clock=log.clock
    )


def read_everything(log: PartitionLog) -> bytes | None:
    """What a consumer gets, and then every checksum; None where either finds damage: the log goes offline, or refuses
    what is spoilt from then on.
    """
    try:
        data = read_all(log, at_most=300)
        for segment in log.segments:
            for _ in log.batches_of(segment):
                pass
    except KafkaStorageError:
        assert log.health.offline_reason is not None
        return None
    except CorruptMessage:
        assert log.damage
        return None
    finally:
        log.pool.close_all()
    return data


def judge(made: Made, first_damaged: int | None) -> None:
    """`first_damaged`: number of the first batch that is not as it was; None where all are."""
    log = open_again(made)
    whole = made.batches if first_damaged is None else made.batches[:first_damaged]
    is_below = first_damaged is not None and made.batches[first_damaged].base_offset < made.recovery_point
    data = None if log.trouble is not None else read_everything(log)
    if is_below:
        assert data is None, "damage below the recovery point went unseen"
        assert log.health.offline_reason is not None or log.damage
        return
    assert log.health.offline_reason is None, log.health.offline_reason
    assert data == b"".join(batch.data for batch in whole)
    assert log.end_offset == (whole[-1].next_offset if whole else 0)
    assert log.end_offset >= made.recovery_point


def in_a_folder(test: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        test(Path(folder) / "orders-0")


@settings(max_examples=60, deadline=None)
@given(histories, st.integers(0, 25), st.integers(0, 300), st.data())
def test_a_segment_cut_at_any_byte_leaves_a_prefix_or_is_reported(
    history: list[tuple[int, int, int, int, int]], flush_after: int, interval: int, data: st.DataObject
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, interval)
        victim = data.draw(st.sampled_from(sorted({batch.path for batch in made.batches})))
        size = Path(victim).stat().st_size
        cut = data.draw(st.integers(0, size))
        with open(victim, "r+b") as file:
            file.truncate(cut)
        hit = [number for number, b in enumerate(made.batches) if b.path == victim and b.position + len(b.data) > cut]
        judge(made, hit[0] if hit else None)

    in_a_folder(run)


@settings(max_examples=60, deadline=None)
@given(histories, st.integers(0, 25), st.integers(0, 300), st.data())
def test_a_byte_changed_anywhere_leaves_a_prefix_or_is_reported(
    history: list[tuple[int, int, int, int, int]], flush_after: int, interval: int, data: st.DataObject
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, interval)
        number = data.draw(st.integers(0, len(made.batches) - 1))
        batch = made.batches[number]
        inside = data.draw(st.integers(0, len(batch.data) - 1).filter(lambda at: at not in LEADER_EPOCH_BYTES))
        mask = data.draw(st.integers(1, 255))
        content = bytearray(Path(batch.path).read_bytes())
        content[batch.position + inside] ^= mask
        Path(batch.path).write_bytes(content)
        judge(made, number)

    in_a_folder(run)


@settings(max_examples=100, deadline=None)
@given(histories, st.integers(0, 25), st.data())
def test_a_leader_epoch_changed_anywhere_leaves_epochs_that_can_be_true(
    history: list[tuple[int, int, int, int, int]], flush_after: int, data: st.DataObject
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, 100)
        number = data.draw(st.integers(0, len(made.batches) - 1))
        batch = made.batches[number]
        content = bytearray(Path(batch.path).read_bytes())
        content[batch.position + data.draw(st.sampled_from(LEADER_EPOCH_BYTES))] ^= data.draw(st.integers(1, 255))
        Path(batch.path).write_bytes(content)

        log = open_again(made)
        assert log.health.offline_reason is None
        assert log.end_offset >= max(made.recovery_point, min(batch.base_offset, first_of_epoch(made, number)))
        recovered = read_all(log)
        unflushed = [header for header in headers_in(recovered) if header.base_offset >= made.recovery_point]
        epochs = [header.leader_epoch for header in unflushed]
        assert epochs == sorted(epochs)
        assert max(epochs, default=0) < LEADER_EPOCH_MAX
        assert all(log.epochs.epoch_at(header.base_offset) == header.leader_epoch for header in unflushed)
        whole = b"".join(written.data for written in made.batches[:number])
        assert recovered.startswith(whole[: len(recovered)])
        log.pool.close_all()

    in_a_folder(run)


def first_of_epoch(made: Made, number: int) -> int:
    """The first offset that the leader wrote who wrote the batch before this one: what follows may be doubted."""
    epochs = [BatchHeader.peek(batch.data).leader_epoch for batch in made.batches]
    before = epochs[max(number - 1, 0)]
    return made.batches[epochs.index(before)].base_offset


@settings(max_examples=40, deadline=None)
@given(histories, st.integers(0, 25), st.binary(min_size=1, max_size=200))
def test_garbage_after_the_last_batch_is_cut(
    history: list[tuple[int, int, int, int, int]], flush_after: int, garbage: bytes
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, 100)
        with open(made.log.active.file.path, "ab") as file:
            file.write(garbage)
        judge(made, None)

    in_a_folder(run)


@settings(max_examples=40, deadline=None)
@given(histories, st.integers(0, 25), st.data())
def test_a_lost_segment_file_is_reported_or_ends_the_log(
    history: list[tuple[int, int, int, int, int]], flush_after: int, data: st.DataObject
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, 100)
        paths = sorted({batch.path for batch in made.batches})
        victim = data.draw(st.sampled_from(paths))
        Path(victim).unlink()
        first = next(number for number, batch in enumerate(made.batches) if batch.path == victim)
        if victim == paths[0] and len(paths) > 1:
            # That the log's beginning is gone is never the work of a torn write: reported, whatever the recovery point.
            assert open_again(made).health.offline_reason is not None
        else:
            judge(made, first)

    in_a_folder(run)


@settings(max_examples=60, deadline=None)
@given(histories, st.integers(0, 25), st.integers(0, 300), st.booleans(), st.data())
def test_nothing_is_lost_with_an_index_cut_changed_or_gone(
    history: list[tuple[int, int, int, int, int]], flush_after: int, interval: int, is_clean: bool, data: st.DataObject
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, interval)
        if is_clean:
            made.log.flushing.close()
            made = made._replace(recovery_point=made.log.recovery_point)
        indexes = sorted(path for path in folder.iterdir() if path.suffix in (".index", ".timeindex"))
        if indexes:
            victim = data.draw(st.sampled_from(indexes))
            content = bytearray(victim.read_bytes())
            how = data.draw(st.sampled_from(("cut", "change", "remove")))
            if how == "remove":
                victim.unlink()
            elif how == "cut" or not content:
                victim.write_bytes(content[: data.draw(st.integers(0, len(content)))])
            else:
                content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
                victim.write_bytes(content)
        log = open_again(made, is_clean=is_clean)
        assert log.health.offline_reason is None
        assert read_everything(log) == b"".join(batch.data for batch in made.batches)

    in_a_folder(run)


@settings(max_examples=40, deadline=None)
@given(histories, st.integers(0, 25), st.integers(0, 300))
def test_after_recovery_the_log_goes_on_and_a_second_crash_changes_nothing(
    history: list[tuple[int, int, int, int, int]], flush_after: int, interval: int
) -> None:
    def run(folder: Path) -> None:
        made = make(folder, history, flush_after, interval)
        log = open_again(made)
        log.append([a_batch(log.end_offset, count=2, leader_epoch=max(log.epochs.latest, 0))])
        log.pool.close_all()
        again = open_again(made)
        assert again.end_offset == made.batches[-1].next_offset + 2
        assert base_offsets(read_all(again)) == [*(b.base_offset for b in made.batches), made.batches[-1].next_offset]
        assert again.epochs.snapshot() == log.epochs.snapshot()
        again.pool.close_all()

    in_a_folder(run)
