"""Pieces of a log that is copied while it is written."""

from pathlib import Path

import pytest
from tests.support.logs import a_log, fill

from penstock.log.copy_pieces import Piece, find_piece, read_piece
from penstock.log.segments.scan import Damaged


def test_a_piece_may_begin_before_the_offset_that_is_wanted_and_not_end_there(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 2, count=3)
    piece = find_piece(log, 1, bytes_max=1 << 20)
    assert piece is not None
    assert [header.base_offset for header, _ in read_piece(piece)] == [0, 3]
    with pytest.raises(Damaged):  # of a batch that ends there nothing was asked for
        read_piece(Piece(piece.path, piece.position, piece.size, first_offset=3))
