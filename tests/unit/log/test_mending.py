"""What of another replica's batches belongs where this log is damaged; nothing is written that does not fit exactly."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.logs import a_batch, a_log, fill, read_all

from penstock.log import RepairMismatch, RepairTarget, batches_that_fit, mended, opened, repairs, write_into
from penstock.log.damage.damage import bad_range
from penstock.log.file_pool import private_descriptor
from penstock.log.partition_log import PartitionLog
from penstock.wire.batch import BatchHeader

BATCHES, HURT = 40, 7


@pytest.fixture
def log(tmp_path: Path) -> Iterator[PartitionLog]:
    log = a_log(tmp_path, settings={"internal.segment.bytes": "2000"})
    fill(log, BATCHES, value_bytes=50, leader_epoch=3)
    assert len(log.segments) > 2
    yield log
    log.flushing.close()


def hurt(log: PartitionLog, offset: int) -> RepairTarget:
    """One flipped bit in a record of the batch at an offset of the first segment."""
    segment = log.segments[0]
    path = Path(segment.file.path)
    data = bytearray(path.read_bytes())
    position = 0
    for _ in range(offset):
        position += BatchHeader.peek(data, position).size
    data[position + 70] ^= 1
    path.write_bytes(data)
    with private_descriptor(str(path)) as fd:
        found = bad_range(fd, segment, position, size=segment.size, first_offset=offset)
    log.damage.report(segment.base_offset, found, "a flipped bit")
    (repair,) = repairs(log)
    return repair


def batches(first: int, count: int, *, leader_epoch: int = 3, value_bytes: int = 50) -> bytes:
    return b"".join(a_batch(first + n, value_bytes=value_bytes, leader_epoch=leader_epoch)[1] for n in range(count))


@pytest.mark.parametrize("sent", [1, 5])
def test_the_very_batch_is_put_back_and_no_more(log: PartitionLog, sent: int) -> None:
    before = read_all(log)
    repair = hurt(log, HURT)
    with opened(repair) as fd:
        fitting = batches_that_fit(repair, fd, batches(HURT, sent))
        assert fitting == batches(HURT, 1)
        assert write_into(repair, fd, fitting) == []
    mended(repair, [])
    assert not log.damage and not repair.is_current
    assert read_all(log) == before


def test_less_than_a_batch_asks_for_more(log: PartitionLog) -> None:
    repair = hurt(log, HURT)
    with opened(repair) as fd:
        assert batches_that_fit(repair, fd, batches(HURT, 1)[:-1]) is None
        assert batches_that_fit(repair, fd, b"") is None


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (batches(HURT + 1, 3), "one begins at 7"),
        (batches(HURT - 1, 3), "one begins at 7"),
        (batches(HURT, 1, leader_epoch=2), "leader epoch 2"),
        (batches(HURT, BATCHES, value_bytes=51), "larger than the room"),
        (batches(HURT, 1)[:-1] + b"?", "not sound either"),
    ],
)
def test_what_does_not_fit_is_refused(log: PartitionLog, sent: bytes, why: str) -> None:
    repair = hurt(log, HURT)
    before = Path(repair.segment.file.path).read_bytes()
    with opened(repair) as fd, pytest.raises(RepairMismatch, match=why):
        batches_that_fit(repair, fd, sent)
    assert Path(repair.segment.file.path).read_bytes() == before and repair.is_current


def test_a_log_that_was_cut_meanwhile_is_not_the_one_that_was_hurt(log: PartitionLog) -> None:
    repair = hurt(log, HURT)
    log.truncation.cut(to=HURT - 2)
    assert not repair.is_current
