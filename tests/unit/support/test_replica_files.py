"""Replicas compared as they lie on disk: equal ones, and each way of not being so."""

from pathlib import Path

from tests.support.batches import Rec, batch
from tests.support.replica_files import ReplicaFiles, compare, read_replica


def write(folder: Path, *batches: bytes, tail: bytes = b"") -> Path:
    folder.mkdir()
    (folder / "00000000000000000000.log").write_bytes(b"".join(batches) + tail)
    return folder


def at(offset: int, value: bytes = b"value", *, leader_epoch: int = 0) -> bytes:
    return batch([Rec(value)], base_offset=offset, leader_epoch=leader_epoch)


def replicas(tmp_path: Path, *of_each: tuple[bytes, ...], high_watermark: int) -> list[ReplicaFiles]:
    return [
        read_replica(number, write(tmp_path / str(number), *batches), high_watermark)
        for number, batches in enumerate(of_each, start=1)
    ]


def test_equal_replicas_have_nothing_wrong(tmp_path: Path) -> None:
    equal = (at(0), at(1), at(2))
    found = replicas(tmp_path, equal, equal, equal, high_watermark=3)
    assert list(compare(0, found)) == [] and found[0].end_offset == 3


def test_a_batch_that_differs_below_the_high_watermark_is_found(tmp_path: Path) -> None:
    found = replicas(tmp_path, (at(0), at(1)), (at(0), at(1, b"other")), high_watermark=2)
    assert list(compare(5, found)) == ["partition 5: brokers 1 and 2 differ at offset 1"]


def test_the_same_records_of_another_epoch_are_not_the_same_batch(tmp_path: Path) -> None:
    found = replicas(tmp_path, (at(0), at(1)), (at(0), at(1, leader_epoch=1)), high_watermark=2)
    assert list(compare(0, found)) == ["partition 0: brokers 1 and 2 differ at offset 1"]


def test_a_batch_that_one_lacks_amid_its_log_is_found(tmp_path: Path) -> None:
    found = replicas(tmp_path, (at(0), at(1), at(2)), (at(0), at(2)), high_watermark=3)
    assert list(compare(0, found)) == ["partition 0: brokers 1 and 2 differ at offset 1"]


def test_what_is_above_the_high_watermark_may_differ(tmp_path: Path) -> None:
    found = replicas(tmp_path, (at(0), at(1)), (at(0), at(1, b"other")), high_watermark=1)
    assert list(compare(0, found)) == []


def test_a_replica_that_ends_below_its_own_high_watermark_is_found(tmp_path: Path) -> None:
    (one,) = replicas(tmp_path, (at(0),), high_watermark=2)
    assert list(compare(0, [one])) == ["partition 0, broker 1: ends at 1, below its own high watermark 2"]


def test_a_flipped_bit_and_a_torn_tail_are_damage(tmp_path: Path) -> None:
    flipped = bytearray(at(1))
    flipped[-1] ^= 1
    folder = write(tmp_path / "1", at(0), bytes(flipped), tail=at(2)[:70])
    damage = read_replica(1, folder, 2).damage
    assert [line.partition(": ")[2].split(" at ")[0] for line in damage] == [
        "wrong checksum",
        "70 bytes from 146 on are no batch",
    ]
