"""Which aborted transactions a read_committed consumer must skip."""

from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.log.segments import transaction_index as transactions
from penstock.log.segments.transaction_index import (
    AbortedTransaction,
    CorruptTransactionIndex,
    TransactionIndex,
    collect_aborted,
)

ONE = AbortedTransaction(producer_id=1, first_offset=0, last_offset=10, last_stable_offset=11)
TWO = AbortedTransaction(producer_id=2, first_offset=5, last_offset=15, last_stable_offset=16)
THREE = AbortedTransaction(producer_id=3, first_offset=18, last_offset=35, last_stable_offset=25)
FOUR = AbortedTransaction(producer_id=4, first_offset=32, last_offset=50, last_stable_offset=40)


@pytest.fixture
def index(tmp_path: Path) -> TransactionIndex:
    made = TransactionIndex(tmp_path / "00000000000000000000.txnindex")
    for aborted in (ONE, TWO, THREE, FOUR):
        made.append(aborted)
    return made


def test_there_is_no_file_until_a_transaction_is_aborted(tmp_path: Path) -> None:
    index = TransactionIndex(tmp_path / "00000000000000000000.txnindex")
    assert index.entries() == [] and index.overlapping(0, 100) == ([], False)
    index.truncate_to(0)
    index.replace_from(0, b"")
    index.flush()
    assert list(tmp_path.iterdir()) == []


def test_entries_have_kafka_s_34_bytes(index: TransactionIndex) -> None:
    data = index.path.read_bytes()
    assert len(data) == 4 * 34
    assert data[34:68] == bytes.fromhex("0000 0000000000000002 0000000000000005 000000000000000f 0000000000000010")
    assert TransactionIndex(index.path).entries() == [ONE, TWO, THREE, FOUR]


@pytest.mark.parametrize(
    ("start", "upto", "found", "complete"),
    [
        (0, 100, [ONE, TWO, THREE, FOUR], False),
        (0, 32, [ONE, TWO, THREE], True),
        (0, 35, [ONE, TWO, THREE, FOUR], True),
        (10, 35, [ONE, TWO, THREE, FOUR], True),
        (11, 35, [TWO, THREE, FOUR], True),
        (20, 41, [THREE, FOUR], False),
        (26, 31, [THREE], True),
        (30, 40, [THREE, FOUR], True),
        (0, 5, [ONE], True),
        (51, 60, [], False),
    ],
)
def test_transactions_that_overlap_a_range_are_found(
    index: TransactionIndex, start: int, upto: int, found: list[AbortedTransaction], complete: bool
) -> None:
    assert index.overlapping(start, upto) == (found, complete)


def test_truncation_forgets_markers_at_or_above_the_offset(index: TransactionIndex) -> None:
    index.truncate_to(51)
    assert index.entries() == [ONE, TWO, THREE, FOUR]
    index.truncate_to(50)
    assert index.entries() == [ONE, TWO, THREE]
    index.truncate_to(15)
    assert index.entries() == [ONE]
    index.truncate_to(0)
    assert index.entries() == []
    assert index.path.exists(), "a removal could come undone, with all its entries, until the folder is fsynced"


def test_a_file_that_says_what_was_found_again_is_not_written_again(index: TransactionIndex) -> None:
    """It may be below the recovery point: until its next flush, which never comes, a loss of power could take it."""
    before = index.path.stat()
    index.replace_from(15, TWO.encode() + THREE.encode() + FOUR.encode())
    index.replace_from(51, b"")
    assert (index.path.stat().st_ino, index.path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    index.replace_from(16, FOUR.encode())
    assert index.entries() == [ONE, TWO, FOUR]


@pytest.mark.parametrize(
    ("wrong", "is_sound"),
    [
        (b"", True),
        (ONE.encode() + TWO.encode(), True),
        (ONE.encode()[:-1], False),
        (bytes(34), False),
        (TWO.encode() + ONE.encode(), False),
        (b"\x00\x01" + ONE.encode()[2:], False),
        (AbortedTransaction(producer_id=1, first_offset=11, last_offset=10, last_stable_offset=11).encode(), False),
        (AbortedTransaction(producer_id=1, first_offset=0, last_offset=10, last_stable_offset=12).encode(), False),
        (AbortedTransaction(producer_id=1, first_offset=0, last_offset=4, last_stable_offset=5).encode(), False),
        (AbortedTransaction(producer_id=1, first_offset=0, last_offset=60, last_stable_offset=61).encode(), False),
    ],
)
def test_an_index_that_cannot_be_a_segment_s_is_known(index: TransactionIndex, wrong: bytes, is_sound: bool) -> None:
    index.path.write_bytes(wrong)
    assert index.is_sound(5, 60) is is_sound


def test_an_abort_that_comes_while_a_thread_looks_another_up_is_found(
    index: TransactionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compaction does, in the active segment's index too; what it finds the last entry to be is of before."""
    five = AbortedTransaction(producer_id=5, first_offset=55, last_offset=60, last_stable_offset=61)
    read = transactions._last_offset_at

    def slowly(fd: int, number: int) -> int:
        last_offset = read(fd, number)
        if len(index.entries()) == 4:
            index.append(five)
        return last_offset

    monkeypatch.setattr(transactions, "_last_offset_at", slowly)
    index.overlapping(0, 10)

    assert index.overlapping(52, 70) == ([five], False)


def test_a_search_goes_on_into_later_segments_only_while_it_must(tmp_path: Path, index: TransactionIndex) -> None:
    later = TransactionIndex(tmp_path / "00000000000000000060.txnindex")
    five = AbortedTransaction(producer_id=5, first_offset=30, last_offset=61, last_stable_offset=62)
    later.append(five)
    assert collect_aborted([index, later], 0, 41) == [ONE, TWO, THREE, FOUR, five]
    assert collect_aborted([index, later], 0, 31) == [ONE, TWO, THREE]


@pytest.mark.parametrize(
    "torn",
    [
        pytest.param(lambda sound: sound[:-1], id="half an entry"),
        pytest.param(lambda sound: sound[:-34] + bytes(34 * 5), id="pages that were never written"),
        pytest.param(lambda sound: sound[:-34] + b"\x00\x01" + sound[-32:], id="another version"),
        pytest.param(lambda sound: sound[:-34] + ONE.encode(), id="an entry of before"),
    ],
)
def test_a_cut_takes_what_cannot_be_right_with_it(index: TransactionIndex, torn: Callable[[bytes], bytes]) -> None:
    index.path.write_bytes(torn(index.path.read_bytes()))
    index.truncate_to(10_000)
    assert index.entries() == [ONE, TWO, THREE]
    assert index.path.stat().st_size == 3 * 34


def test_a_version_that_is_not_known_is_not_read(index: TransactionIndex) -> None:
    index.path.write_bytes(b"\x00\x01" + ONE.encode()[2:])
    with pytest.raises(CorruptTransactionIndex):
        index.entries()
