"""What of another replica's batches belongs where this log is damaged; nothing is written that does not fit exactly."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.logs import a_batch, a_log, fill, read_all

from penstock.log import Misfit, Wound, batches_that_fit, mended, opened, wounds, write_into
from penstock.log.damage import bad_range
from penstock.log.files import private_descriptor
from penstock.log.partition_log import PartitionLog
from penstock.wire.batch import BatchHeader

BATCHES, HURT = 40, 7


@pytest.fixture
def log(tmp_path: Path) -> Iterator[PartitionLog]:
    log = a_log(tmp_path, settings={"internal.segment.bytes": "2000"})
    fill(log, BATCHES, value_bytes=50, leader_epoch=3)
    assert len(log.segments) > 2
    yield log
    log.close()


def hurt(log: PartitionLog, offset: int) -> Wound:
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
    (wound,) = wounds(log)
    return wound


def batches(first: int, count: int, *, leader_epoch: int = 3, value_bytes: int = 50) -> bytes:
    return b"".join(a_batch(first + n, value_bytes=value_bytes, leader_epoch=leader_epoch)[1] for n in range(count))


@pytest.mark.parametrize("sent", [1, 5])
def test_the_very_batch_is_put_back_and_no_more(log: PartitionLog, sent: int) -> None:
    before = read_all(log)
    wound = hurt(log, HURT)
    with opened(wound) as fd:
        fitting = batches_that_fit(wound, fd, batches(HURT, sent))
        assert fitting == batches(HURT, 1)
        assert write_into(wound, fd, fitting) == []
    mended(wound, [])
    assert not log.damage and not wound.is_current
    assert read_all(log) == before


def test_less_than_a_batch_asks_for_more(log: PartitionLog) -> None:
    wound = hurt(log, HURT)
    with opened(wound) as fd:
        assert batches_that_fit(wound, fd, batches(HURT, 1)[:-1]) is None
        assert batches_that_fit(wound, fd, b"") is None


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
    wound = hurt(log, HURT)
    before = Path(wound.segment.file.path).read_bytes()
    with opened(wound) as fd, pytest.raises(Misfit, match=why):
        batches_that_fit(wound, fd, sent)
    assert Path(wound.segment.file.path).read_bytes() == before and wound.is_current


def test_a_log_that_was_cut_meanwhile_is_not_the_one_that_was_hurt(log: PartitionLog) -> None:
    wound = hurt(log, HURT)
    log.truncate(to=HURT - 2)
    assert not wound.is_current
