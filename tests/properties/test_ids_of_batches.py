"""What is found out about a batch on the way to its ids is what a survey says, of whatever bytes."""

import random
from contextlib import suppress

import pytest
from tests.properties.dedup_world import digest

from penstock.delivery.dedup.ids import IdRule, find_ids, without
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.compression import LZ4, ZSTD
from penstock.wire.malformed import Malformed
from penstock.wire.records import Header, Record, build_batch, iterate
from penstock.wire.survey import Survey, survey

SEEDS = 1_500
NAMES = ("id", "a name", "é", "")


def some_batch(dice: random.Random) -> bytearray:
    def text(size_max: int) -> bytes | None:
        return None if dice.random() < 0.2 else dice.randbytes(dice.randint(0, size_max))

    def headers() -> tuple[Header, ...]:
        return tuple((dice.choice(NAMES), text(90)) for _ in range(dice.choice((0, 1, 3))))

    records = [
        Record(place, 1_700_000_000_000 + dice.randint(-5, 100_000), text(100), text(300), headers())
        for place in range(dice.randint(1, 80))
    ]
    return build_batch(records, compression=dice.choice((0, 0, LZ4, ZSTD)))


def surveyed(batch: bytes | bytearray) -> Survey | None:
    with suppress(Malformed):
        return survey(batch)
    return None


def found(batch: bytes | bytearray, rule: IdRule) -> Survey | None:
    with suppress(Malformed):
        return find_ids(batch, rule, consecutive=True).survey(BatchHeader.peek(batch))
    return None


@pytest.mark.parametrize("by", ["header:id", "header:é", "key"])
def test_whoever_looks_for_ids_finds_what_a_survey_finds(by: str) -> None:
    refused = 0
    for seed in range(SEEDS):
        dice = random.Random(seed)
        batch = some_batch(dice)
        for _ in range(dice.choice((0, 1, 1, 4))):
            batch[dice.randrange(HEADER_SIZE, len(batch))] = dice.randrange(256)
        expected = surveyed(batch)
        refused += expected is None
        assert found(batch, IdRule.of(by)) == expected, f"seed {seed}"
    assert SEEDS / 6 < refused < SEEDS


def test_ids_are_those_of_the_records_and_what_is_left_out_is_gone() -> None:
    for seed in range(SEEDS // 5):
        dice = random.Random(seed)
        batch = some_batch(dice)
        records = list(iterate(batch))
        own = [next((value for name, value in reversed(each.headers) if name == "id"), None) for each in records]
        ids = find_ids(batch, IdRule.of("header:id"))
        assert ids.digests == [digest(each) for each in own if each is not None]
        assert ids.places == ids.deltas == [place for place, each in enumerate(own) if each is not None]
        assert ids.keyless == [place for place in ids.places if own[place] and records[place].key is None]
        drop = {place for place in range(len(records)) if dice.random() < 0.4}
        left = [each for place, each in enumerate(records) if place not in drop]
        assert list(iterate(without(batch, ids, drop))) == left
