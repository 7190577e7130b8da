"""Produce looks into a sample of batches: the first of each connection, one in a hundred, all of whoever was caught."""

from collections.abc import Callable

import pytest
from tests.support.partitions import Make, SomePartitions
from tests.unit.broker.handlers.test_produce_handler import call, read

from penstock.broker.batch_samples import FIRST_OPENED, ONE_IN
from penstock.broker.peer_authentication import Caller
from penstock.errors import InvalidRecord, NotLeaderOrFollower
from penstock.replication.log_port import on_disk
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.compression import CODEC_NAMES
from penstock.wire.records import Record, build_batch, crc_of


def resealed(batch: bytearray) -> bytearray:
    layout.CRC.pack_into(batch, layout.CRC_AT, crc_of(batch))
    return batch


def noise(partitions: SomePartitions, producer: int = -1, sequence: int = -1) -> bytearray:
    """A batch whose checksum is right and whose records are none."""
    batch = partitions.batch(2, producer=producer, sequence=sequence)
    batch[layout.HEADER_SIZE :] = bytes(255 for _ in batch[layout.HEADER_SIZE :])
    return resealed(batch)


def false_count(partitions: SomePartitions) -> bytearray:
    batch = bytearray(build_batch([Record(0, partitions.clock.now(), b"k", b"long enough for two")]))
    values = list(layout.HEADER.unpack_from(batch))
    fields = BatchHeader.__struct_fields__
    values[fields.index("record_count")], values[fields.index("last_offset_delta")] = 2, 1
    layout.HEADER.pack_into(batch, 0, *values)
    return resealed(batch)


def broken_compression(codec: int) -> Callable[[SomePartitions], bytearray]:
    def make(partitions: SomePartitions) -> bytearray:
        batch = bytearray(build_batch([Record(0, partitions.clock.now(), b"k", b"v" * 500)], compression=codec))
        batch[layout.HEADER_SIZE :] = bytes(7 * i % 251 for i in range(len(batch) - layout.HEADER_SIZE))
        return resealed(batch)

    return make


POISON = {"noise": noise, "a false count": false_count} | {
    f"broken {name}": broken_compression(codec) for codec, name in CODEC_NAMES.items() if codec
}


async def answer_of(reply: object) -> int:
    return read(reply if isinstance(reply, list) else await reply)[0].error_code  # type: ignore[misc]


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON.keys())
async def test_what_would_poison_consumers_is_refused_from_a_new_connection(
    make: Make, poison: Callable[[SomePartitions], bytearray]
) -> None:
    partitions = make()
    assert await answer_of(call(partitions, poison(partitions), caller=Caller())) == InvalidRecord.code
    assert partitions[0].log.end_offset == 0


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON.keys())
async def test_a_topic_that_looks_at_headers_only_takes_it(
    make: Make, poison: Callable[[SomePartitions], bytearray]
) -> None:
    partitions = make(penstock_validate_records="header")
    assert await answer_of(call(partitions, poison(partitions), caller=Caller())) == 0


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON.keys())
async def test_a_broker_that_does_not_lead_says_so_and_looks_into_nothing(
    make: Make, poison: Callable[[SomePartitions], bytearray]
) -> None:
    partitions = make()
    partitions[0].leadership.stand_aside()
    assert await answer_of(call(partitions, poison(partitions), caller=Caller())) == NotLeaderOrFollower.code


async def test_of_a_connection_that_told_the_truth_one_batch_in_a_hundred_is_opened(make: Make) -> None:
    partitions, caller = make(), Caller()
    for _ in range(FIRST_OPENED):
        assert await answer_of(call(partitions, partitions.batch(), caller=caller)) == 0
    outcomes = [await answer_of(call(partitions, noise(partitions), caller=caller)) for _ in range(ONE_IN)]
    assert outcomes == [0] * (ONE_IN - 1) + [InvalidRecord.code]


async def test_whoever_was_caught_is_not_believed_on_that_connection_again(make: Make) -> None:
    partitions, caller = make(), Caller()
    assert await answer_of(call(partitions, noise(partitions), caller=caller)) == InvalidRecord.code
    for _ in range(2 * FIRST_OPENED):
        assert await answer_of(call(partitions, partitions.batch(), caller=caller)) == 0
    for _ in range(2 * ONE_IN):
        assert await answer_of(call(partitions, noise(partitions), caller=caller)) == InvalidRecord.code


async def test_a_producer_id_that_was_caught_is_known_on_its_next_connection(make: Make) -> None:
    partitions = make()
    caught = noise(partitions, producer=7, sequence=0)
    assert await answer_of(call(partitions, caught, caller=Caller())) == InvalidRecord.code
    again = Caller()
    for sequence in range(FIRST_OPENED + 1):
        batch = partitions.batch(producer=7, sequence=sequence)
        assert await answer_of(call(partitions, batch, caller=again)) == 0
    late = noise(partitions, producer=7, sequence=FIRST_OPENED + 1)
    assert await answer_of(call(partitions, late, caller=again)) == InvalidRecord.code


async def test_a_false_largest_timestamp_is_put_right_and_its_producer_watched(make: Make) -> None:
    partitions, caller = make(), Caller()
    now = partitions.clock.now()
    honest = build_batch([Record(0, now, b"k", b"v")])
    assert await answer_of(call(partitions, honest, caller=caller)) == 0
    for number in range(3 * FIRST_OPENED):
        liar = build_batch([Record(0, now - 9, b"k", b"v")], max_timestamp=now + 1_000)
        assert await answer_of(call(partitions, liar, caller=caller)) == 0, number
    assert on_disk(partitions[0].log).segments[-1].max_timestamp == now


async def test_a_largest_timestamp_below_the_first_records_is_raised_to_it_unopened(make: Make) -> None:
    partitions = make(penstock_validate_records="header")
    now = partitions.clock.now()
    liar = build_batch([Record(0, now, b"k", b"v")], max_timestamp=1)
    assert await answer_of(call(partitions, liar)) == 0
    assert on_disk(partitions[0].log).segments[-1].max_timestamp == now
    found = partitions[0].log.times.find(now)
    assert found is not None and found.offset == 0


async def test_each_partition_has_its_own_first_batches(make: Make) -> None:
    partitions, caller = make(count=2), Caller()
    for _ in range(FIRST_OPENED):
        assert await answer_of(call(partitions, partitions.batch(), caller=caller)) == 0
    assert await answer_of(call(partitions, noise(partitions), caller=caller, first=1)) == InvalidRecord.code


async def test_a_bad_batch_of_several_is_refused_alone(make: Make) -> None:
    partitions = make(count=2)
    bad, good = read(call(partitions, noise(partitions), partitions.batch(), caller=Caller()))
    assert (bad.error_code, good.error_code) == (InvalidRecord.code, 0)
    assert [partitions[index].log.end_offset for index in (0, 1)] == [0, 1]


async def test_a_first_batch_of_very_many_records_is_enough(make: Make) -> None:
    partitions, caller = make(), Caller()
    assert await answer_of(call(partitions, partitions.batch(1_000), caller=caller)) == 0
    outcomes = [await answer_of(call(partitions, noise(partitions), caller=caller)) for _ in range(ONE_IN)]
    assert outcomes == [0] * (ONE_IN - 1) + [InvalidRecord.code]
