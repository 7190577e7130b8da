"""Some records of a batch, found without reading the others."""

import random

import pytest

from penstock.wire.malformed import Malformed
from penstock.wire.records import Record, build_batch, iterate, select


def a_batch(seed: int, *, gaps: bool) -> bytes:
    chance = random.Random(seed)
    offsets = sorted(chance.sample(range(1_000, 1_300), 120)) if gaps else list(range(1_000, 1_120))
    records = [
        Record(
            offset,
            1_790_000_000_000 + chance.randrange(-5_000, 5_000),
            None if chance.random() < 0.3 else chance.randbytes(chance.choice((0, 3, 200))),
            None if chance.random() < 0.3 else chance.randbytes(chance.choice((0, 50, 9_000))),
            tuple((f"h{n}", None if chance.random() < 0.5 else b"v") for n in range(chance.randrange(3))),
        )
        for offset in offsets
    ]
    compression = chance.choice((0, 3, 4))
    return (
        bytes(build_batch(records, base_offset=1_000, last_offset=1_300, compression=compression))
        if gaps
        else bytes(build_batch(records, base_offset=1_000, compression=compression))
    )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("gaps", [True, False])
def test_what_is_selected_is_what_a_reader_of_all_finds(seed: int, gaps: bool) -> None:
    batch = a_batch(seed, gaps=gaps)
    everything = {record.offset: record for record in iterate(batch)}
    chance = random.Random(seed)
    wanted = sorted(chance.sample(range(990, 1_320), 40))
    assert select(batch, wanted) == [everything[offset] for offset in wanted if offset in everything]
    assert select(batch, sorted(everything)) == list(everything.values())
    assert select(batch, []) == []


def test_a_batch_that_ends_within_a_record_is_malformed() -> None:
    whole = a_batch(0, gaps=False)
    header, body = whole[:61], whole[61:]
    cut = bytearray(header + body[: len(body) // 2])
    cut[8:12] = (len(cut) - 12).to_bytes(4, "big")
    cut[21:23] = (0).to_bytes(2, "big")  # as if it were not compressed
    with pytest.raises(Malformed):
        select(bytes(cut), list(range(1_000, 1_200)))
