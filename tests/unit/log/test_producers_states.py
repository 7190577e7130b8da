"""What a partition accepts from an idempotent producer, and what it still knows after a restart."""

from pathlib import Path

import pytest
from tests.support.clocks import ManualClock

from penstock.errors import InvalidProducerEpoch, InvalidTxnState, OutOfOrderSequence, TransactionCoordinatorFenced
from penstock.log.producers.checks import Duplicate
from penstock.log.producers.producers import CompletedTransaction, ProducerStates
from penstock.settings.config import Config
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch

NOW = 1_700_000_000_000


def _batch(
    offset: int,
    *,
    sequence: int,
    count: int = 1,
    producer: int = 7,
    epoch: int = 0,
    timestamp: int = NOW,
    transactional: bool = False,
) -> bytearray:
    records = [Record(offset + n, timestamp, b"k", b"v") for n in range(count)]
    return build_batch(
        records,
        producer_id=producer,
        producer_epoch=epoch,
        base_sequence=sequence,
        transactional=transactional,
    )


def _header(offset: int = 0, **fields: int | bool) -> BatchHeader:
    return BatchHeader.peek(_batch(offset, **fields))  # type: ignore[arg-type]


def _marker(
    offset: int, type_: MarkerType, *, producer: int = 7, epoch: int = 0, coordinator_epoch: int = 0
) -> bytearray:
    return build_marker(
        Marker(type_, coordinator_epoch),
        producer_id=producer,
        producer_epoch=epoch,
        timestamp=NOW,
        base_offset=offset,
    )


def _take(states: ProducerStates, *batches: bytearray) -> list[CompletedTransaction | None]:
    return [states.update(BatchHeader.peek(batch), batch) for batch in batches]


@pytest.fixture
def states(tmp_path: Path) -> ProducerStates:
    return ProducerStates(tmp_path, Config.for_broker({}))


def _reopened(tmp_path: Path) -> ProducerStates:
    return ProducerStates(tmp_path, Config.for_broker({}))


def test_the_next_sequence_is_accepted(states: ProducerStates) -> None:
    _take(states, _batch(100, sequence=0, count=3))
    assert states.check(_header(sequence=3)) is None


def test_a_gap_is_out_of_order(states: ProducerStates) -> None:
    _take(states, _batch(100, sequence=0, count=3))
    with pytest.raises(OutOfOrderSequence, match="sent sequence 5, the next is 3"):
        states.check(_header(sequence=5))


def test_a_producer_unknown_here_is_accepted_at_any_sequence(states: ProducerStates) -> None:
    assert states.check(_header(sequence=4_321)) is None
    _take(states, _batch(0, sequence=4_321))
    assert states.check(_header(sequence=4_322)) is None


def test_each_of_the_last_five_batches_is_known_when_sent_again(states: ProducerStates) -> None:
    for n in range(6):
        _take(states, _batch(100 + 2 * n, sequence=2 * n, count=2, timestamp=NOW + n))
    for n in range(1, 6):
        duplicate = states.check(_header(sequence=2 * n, count=2))
        assert duplicate == Duplicate(base_offset=100 + 2 * n, last_offset=101 + 2 * n, timestamp=NOW + n)


def test_an_older_batch_is_known_to_be_there_but_not_where(states: ProducerStates) -> None:
    for n in range(8):
        _take(states, _batch(100 + 2 * n, sequence=2 * n, count=2))
    for first, count in ((0, 2), (4, 2), (0, 6), (1, 1)):
        duplicate = states.check(_header(sequence=first, count=count))
        assert duplicate == Duplicate(base_offset=-1, last_offset=106, timestamp=-1), (first, count)
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=4, count=4))  # a part of it is remembered, and was cut otherwise


def test_what_came_before_a_producer_was_known_here_is_out_of_order(states: ProducerStates) -> None:
    for n in range(8):
        _take(states, _batch(n, sequence=50 + n))
    assert states.check(_header(sequence=50)) == Duplicate(base_offset=-1, last_offset=3, timestamp=-1)
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=49))
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=49, count=2))


def test_what_came_before_a_gap_is_out_of_order(states: ProducerStates) -> None:
    """Replicas take in whatever the leader has: a producer that was forgotten there goes on anywhere."""
    _take(states, _batch(0, sequence=0), *(_batch(1 + n, sequence=20 + n) for n in range(8)))
    assert states.check(_header(sequence=20)) is not None
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=0))


def test_what_came_before_a_higher_epoch_is_no_duplicate(states: ProducerStates) -> None:
    _take(states, *(_batch(n, sequence=n, epoch=1) for n in range(8)))
    _take(states, _batch(8, sequence=0, epoch=2))
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=5, epoch=2))


def test_a_batch_cut_otherwise_is_no_duplicate(states: ProducerStates) -> None:
    _take(states, _batch(100, sequence=0, count=4))
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=0, count=3))


def test_a_lower_epoch_is_fenced(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0, epoch=3))
    with pytest.raises(InvalidProducerEpoch):
        states.check(_header(sequence=1, epoch=2))


def test_a_higher_epoch_begins_at_sequence_zero(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0, epoch=3))
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=1, epoch=4))
    assert states.check(_header(sequence=0, epoch=4)) is None
    _take(states, _batch(1, sequence=0, epoch=4))
    with pytest.raises(InvalidProducerEpoch):
        states.check(_header(sequence=1, epoch=3))


def test_sequences_go_on_at_zero_after_the_largest_int32(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=2**31 - 3, count=2))
    assert states.check(_header(sequence=2**31 - 1, count=3)) is None
    _take(states, _batch(2, sequence=2**31 - 1, count=3))
    assert states.check(_header(sequence=2)) is None
    assert states.check(_header(sequence=2**31 - 1, count=3)) == Duplicate(2, 4, NOW)
    with pytest.raises(OutOfOrderSequence):
        states.check(_header(sequence=0))


def test_records_without_a_producer_leave_no_state(states: ProducerStates) -> None:
    _take(states, build_batch([Record(0, NOW, b"k", b"v")]))
    assert len(states) == 0


def test_silent_producers_are_forgotten_after_a_day_unless_a_transaction_is_open(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0, producer=1), _batch(1, sequence=0, producer=2, transactional=True))
    assert states.expire(ManualClock(NOW + 86_400_000 - 1).now()) == 0
    assert states.expire(ManualClock(NOW + 86_400_000).now()) == 0, "it may have written just now"
    assert states.expire(ManualClock(NOW + 86_400_001).now()) == 1
    assert [producer.producer_id for producer in states.describe()] == [2]


def test_a_producer_that_writes_is_not_forgotten_whatever_its_timestamps_or_the_clock_say(
    states: ProducerStates,
) -> None:
    later = ManualClock(NOW + 30 * 86_400_000).now()
    for sequence in range(3):
        _take(states, _batch(sequence, sequence=sequence))
        assert states.expire(later) == 0
    assert states.check(_header(sequence=2)) == Duplicate(2, 2, NOW)
    assert states.expire(later) == 1


def test_the_last_stable_offset_is_held_by_the_oldest_open_transaction(states: ProducerStates) -> None:
    assert states.last_stable_offset(10) == 10
    _take(
        states,
        _batch(10, sequence=0, producer=1, transactional=True),
        _batch(11, sequence=0, producer=2, transactional=True),
    )
    assert states.last_stable_offset(5) == 5
    assert states.last_stable_offset(12) == 10
    (completed,) = _take(states, _marker(12, MarkerType.COMMIT, producer=1))
    assert completed == CompletedTransaction(1, 10, 12, is_aborted=False, last_stable_offset=11)
    assert states.last_stable_offset(12) == 10  # the marker itself is not replicated yet
    assert states.last_stable_offset(13) == 11
    (completed,) = _take(states, _marker(13, MarkerType.ABORT, producer=2))
    assert completed == CompletedTransaction(2, 11, 13, is_aborted=True, last_stable_offset=14)
    assert states.last_stable_offset(14) == 14


def test_ended_transactions_do_not_pile_up_where_nobody_reads(states: ProducerStates) -> None:
    for offset in range(0, 200, 2):
        begun = _batch(offset, sequence=offset // 2, producer=1, transactional=True)
        _take(states, begun, _marker(offset + 1, MarkerType.COMMIT, producer=1))
    states.replicated_to(199)
    assert states.ended == {198: 199}, "the high watermark has not passed the last marker"
    states.replicated_to(200)
    assert states.ended == {}


def test_a_marker_without_records_here_completes_nothing_but_moves_the_epoch(states: ProducerStates) -> None:
    assert _take(states, _marker(0, MarkerType.ABORT, epoch=5, coordinator_epoch=2)) == [None]
    with pytest.raises(InvalidProducerEpoch):
        states.check(_header(sequence=0, epoch=4))
    assert states.check(_header(sequence=0, epoch=5)) is None
    with pytest.raises(TransactionCoordinatorFenced):
        states.check_marker(producer_id=7, producer_epoch=5, coordinator_epoch=1)
    with pytest.raises(InvalidProducerEpoch):
        states.check_marker(producer_id=7, producer_epoch=4, coordinator_epoch=2)
    states.check_marker(producer_id=7, producer_epoch=5, coordinator_epoch=2)
    states.check_marker(producer_id=99, producer_epoch=0, coordinator_epoch=0)


def test_a_batch_outside_the_open_transaction_is_refused(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0, transactional=True))
    with pytest.raises(InvalidTxnState):
        states.check(_header(sequence=1))
    assert states.check(_header(sequence=1, transactional=True)) is None


def test_all_five_batches_are_known_after_a_restart(states: ProducerStates, tmp_path: Path) -> None:
    for n in range(6):
        _take(states, _batch(n, sequence=n, timestamp=NOW + n))
    states.history.take_snapshot(6, flush=True)
    again = _reopened(tmp_path)
    assert again.history.restore(6, 0) == 6
    assert again.check(_header(sequence=1)) == Duplicate(1, 1, NOW + 1)
    assert again.check(_header(sequence=6)) is None


def test_what_came_before_the_five_is_out_of_order_after_a_restart(states: ProducerStates, tmp_path: Path) -> None:
    _take(states, *(_batch(n, sequence=n) for n in range(8)))
    states.history.take_snapshot(8, flush=True)
    loaded = _reopened(tmp_path)
    assert loaded.history.restore(8, 0) == 8
    assert loaded.check(_header(sequence=3)) == Duplicate(base_offset=3, last_offset=3, timestamp=NOW)
    with pytest.raises(OutOfOrderSequence):
        loaded.check(_header(sequence=2))
    _take(loaded, *(_batch(8 + n, sequence=8 + n) for n in range(5)))
    assert loaded.check(_header(sequence=3)) == Duplicate(base_offset=-1, last_offset=8, timestamp=-1)


def test_without_a_snapshot_everything_is_replayed(tmp_path: Path) -> None:
    assert _reopened(tmp_path).history.restore(50, 20) == 20


def test_the_newest_snapshot_at_or_below_is_taken_and_those_outside_are_removed(
    states: ProducerStates, tmp_path: Path
) -> None:
    for n in range(4):
        states.history.take_snapshot(10 * n)
        _take(states, _batch(10 * n, sequence=n))
    again = _reopened(tmp_path)
    assert again.history.restore(25, first_offset=10) == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "00000000000000000010.snapshot",
        "00000000000000000020.snapshot",
    ]
    assert again.check(_header(sequence=2)) is None


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "version"])
def test_a_damaged_snapshot_is_removed_and_an_older_one_used(
    states: ProducerStates, tmp_path: Path, damage: str
) -> None:
    _take(states, _batch(0, sequence=0))
    states.history.take_snapshot(1)
    _take(states, _batch(1, sequence=1))
    states.history.take_snapshot(2)
    newest = tmp_path / "00000000000000000002.snapshot"
    data = bytearray(newest.read_bytes())
    if damage == "flip":
        data[20] ^= 1
    elif damage == "version":
        data[1] = 9
    newest.write_bytes(bytes({"cut": data[:-1], "empty": bytearray()}.get(damage, data)))
    again = _reopened(tmp_path)
    assert again.history.restore(2, 0) == 1
    assert not newest.exists()
    assert again.check(_header(sequence=1)) is None


def test_a_producer_is_known_after_a_restart_however_old_its_timestamps_are(
    states: ProducerStates, tmp_path: Path
) -> None:
    """What it had sent when the broker stopped it sends again now."""
    _take(states, _batch(0, sequence=0))
    states.history.take_snapshot(1)
    again = _reopened(tmp_path)
    again.history.restore(1, 0)
    later = ManualClock(NOW + 86_400_000).now()
    assert again.expire(later) == 0
    assert again.check(_header(sequence=0)) == Duplicate(0, 0, NOW)
    assert again.expire(later) == 1


def test_truncation_goes_back_to_the_snapshot_below_the_cut(states: ProducerStates, tmp_path: Path) -> None:
    _take(states, _batch(0, sequence=0), _batch(1, sequence=1))
    states.history.take_snapshot(2)
    _take(states, _batch(2, sequence=2, transactional=True))
    states.history.take_snapshot(3)
    assert states.history.truncate_to(3) == 3
    assert states.history.truncate_to(2) == 2
    assert states.check(_header(sequence=2)) is None
    assert states.last_stable_offset(2) == 2
    assert not (tmp_path / "00000000000000000003.snapshot").exists()


def test_truncation_goes_back_to_a_remembered_state_where_that_is_later_than_the_snapshot(
    states: ProducerStates,
) -> None:
    _take(states, _batch(0, sequence=0))
    states.history.take_snapshot(1)
    _take(states, _batch(1, sequence=1, transactional=True), _marker(2, MarkerType.ABORT))
    states.history.remember(3)
    _take(states, _batch(3, sequence=2, transactional=True))
    states.history.remember(4)
    _take(states, _batch(4, sequence=3, transactional=True))
    assert states.history.truncate_to(3) == 3
    assert states.check(_header(sequence=1)) == Duplicate(1, 1, NOW) and states.check(_header(sequence=2)) is None
    assert states.last_stable_offset(2) == 1, "the marker is not replicated yet"
    assert states.history.truncate_to(2) == 1, "none is remembered that is below this cut"


def test_what_is_remembered_is_not_of_a_log_that_starts_anew_or_later(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0))
    states.history.remember(1)
    _take(states, _batch(1, sequence=1), _batch(2, sequence=2))
    assert states.history.truncate_to(2, first_offset=2) == 2 and len(states) == 0
    _take(states, _batch(2, sequence=2))
    states.history.remember(3)
    states.reset()
    _take(states, _batch(3, sequence=0), _batch(4, sequence=1))
    assert states.history.truncate_to(4) == 0


def test_truncation_above_all_producers_leaves_the_state_alone(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0))
    assert states.history.truncate_to(5) == 5
    assert states.check(_header(sequence=1)) is None


def test_a_log_that_starts_anew_knows_nobody(states: ProducerStates, tmp_path: Path) -> None:
    _take(states, _batch(0, sequence=0, transactional=True))
    states.history.take_snapshot(1)
    states.reset()
    assert len(states) == 0 and states.last_stable_offset(9) == 9 and list(tmp_path.iterdir()) == []


def test_snapshots_of_deleted_segments_are_removed(states: ProducerStates, tmp_path: Path) -> None:
    for offset in (1, 2, 3):
        states.history.take_snapshot(offset)
    states.history.remove_before(3)
    assert [path.name for path in tmp_path.iterdir()] == ["00000000000000000003.snapshot"]


def test_a_snapshot_that_is_there_already_is_not_written_again(states: ProducerStates, tmp_path: Path) -> None:
    states.history.take_snapshot(4)
    _take(states, _batch(4, sequence=0))
    states.history.take_snapshot(4)
    assert _reopened(tmp_path).history.restore(4, 0) == 4


def test_active_producers_are_described(states: ProducerStates) -> None:
    _take(states, _batch(0, sequence=0, count=3, epoch=2, transactional=True))
    (row,) = states.describe()
    assert (row.producer_id, row.epoch, row.last_sequence, row.last_timestamp) == (7, 2, 2, NOW)
    assert (row.coordinator_epoch, row.transaction_first_offset) == (-1, 0)
    assert states.last_batches() == {7: (2, 2)}


def test_beyond_their_number_those_silent_for_long_are_forgotten_but_none_within_a_transaction(tmp_path: Path) -> None:
    states = ProducerStates(tmp_path, Config.for_broker({"penstock.producers.per.partition.max": "100"}))

    def write(producer: int, offset: int, *, transactional: bool = False) -> None:
        batch = build_batch(
            [Record(offset, 1_000 + offset, b"k", b"v")],
            producer_id=producer,
            producer_epoch=0,
            base_sequence=0,
            transactional=transactional,
        )
        states.update(BatchHeader.peek(batch), batch)

    write(0, 0, transactional=True)
    for producer in range(1, 1_000):
        write(producer, producer)
    known = {row.producer_id for row in states.describe()}
    assert len(known) == 100
    assert 0 in known and states.last_stable_offset(2_000) == 0
    assert set(range(950, 1_000)) <= known, "those that wrote lately are known"
