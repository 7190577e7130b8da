"""Producers' states as files have them."""

import crc32c
import pytest

from penstock.log.producers.snapshots import CorruptSnapshot, decode_snapshot, encode_snapshot


@pytest.mark.parametrize("entries", [b"\x00" * 7, b"\x00" * 500])
def test_a_snapshot_whose_entries_do_not_fill_it_is_refused_though_its_checksum_is_right(entries: bytes) -> None:
    whole = encode_snapshot([])
    body = whole[6:] + entries
    data = whole[:2] + crc32c.crc32c(body).to_bytes(4, "big") + body
    with pytest.raises(CorruptSnapshot, match="entries in"):
        decode_snapshot(data)
    assert decode_snapshot(whole) == []
