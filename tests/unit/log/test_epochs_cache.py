"""Which leader epoch wrote which offsets."""

from pathlib import Path

import pytest

from penstock.log.checkpoint_files import CheckpointUnreadable
from penstock.log.epochs import FILE_NAME, LeaderEpochs, write_epochs


class End:
    end_offset = 100


def epochs_of(folder: Path, *pairs: tuple[int, int]) -> LeaderEpochs:
    epochs = LeaderEpochs(str(folder), End())
    for epoch, start in pairs:
        epochs.assign(epoch, start)
    return epochs


def test_where_an_epoch_ended_is_where_the_next_one_began(tmp_path: Path) -> None:
    epochs = epochs_of(tmp_path, (2, 10), (4, 30), (7, 60))

    assert epochs.end_offset_for(2) == (2, 30)
    assert epochs.end_offset_for(3) == (2, 30)
    assert epochs.end_offset_for(5) == (4, 60)
    assert epochs.end_offset_for(7) == (7, 100)
    assert epochs.end_offset_for(1) == (1, 10)
    assert epochs.end_offset_for(8) == (-1, -1)
    assert epochs.end_offset_for(-1) == (-1, -1)


def test_entries_that_contradict_a_newer_one_give_way(tmp_path: Path) -> None:
    epochs = epochs_of(tmp_path, (2, 10), (4, 30), (7, 60))
    epochs.assign(5, 30)

    assert epochs.snapshot() == [(2, 10), (5, 30)]
    assert epochs.latest == 5


def test_the_same_epoch_again_changes_nothing(tmp_path: Path) -> None:
    epochs = epochs_of(tmp_path, (2, 10))
    epochs.is_dirty = False
    epochs.assign(2, 40)
    epochs.assign(-1, 50)

    assert epochs.snapshot() == [(2, 10)]
    assert not epochs.is_dirty


def test_a_cut_forgets_later_epochs_and_a_deletion_moves_the_first(tmp_path: Path) -> None:
    epochs = epochs_of(tmp_path, (2, 10), (4, 30), (7, 60))
    epochs.cut_end(60)
    epochs.cut_start(40)

    assert epochs.snapshot() == [(4, 40)]
    assert epochs.epoch_at(50) == 4
    assert epochs.epoch_at(39) == -1


def test_the_file_is_kafkas(tmp_path: Path) -> None:
    write_epochs(str(tmp_path), [(2, 10), (4, 30)])
    assert (tmp_path / FILE_NAME).read_text() == "0\n2\n2 10\n4 30\n"

    again = epochs_of(tmp_path)
    again.load()

    assert again.snapshot() == [(2, 10), (4, 30)]
    assert not again.is_dirty


@pytest.mark.parametrize("text", ["0\n", "garbage", "1\n0\n", "0\n2\n2 10\n", "0\n1\ntwo ten\n", "0\n1\n1 2 3\n"])
def test_a_broken_file_is_said_to_be_broken(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)

    with pytest.raises(CheckpointUnreadable):
        epochs_of(tmp_path).load()
