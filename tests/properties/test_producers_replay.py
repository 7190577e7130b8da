"""A snapshot at any point plus a replay of the rest is the live state, for random histories."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.errors import OutOfOrderSequence, Refusal
from penstock.log.producers.checks import Duplicate
from penstock.log.producers.producers import ProducerStates
from penstock.settings.config import Config
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch

NOW = 1_700_000_000_000
CONFIG = Config.for_broker({})


@st.composite
def histories(draw: st.DrawFn) -> list[bytearray]:
    """Batches as a leader would have accepted them: several producers, no retries, epochs and markers mixed in."""
    sequences: dict[int, int] = {}
    epochs: dict[int, int] = {}
    open_: set[int] = set()
    history = []
    offset = 0
    for _ in range(draw(st.integers(0, 25))):
        producer = draw(st.integers(0, 3))
        match draw(st.sampled_from(["data", "data", "data", "marker", "bump"])):
            case "bump":
                epochs[producer] = epochs.get(producer, 0) + 1
                sequences[producer] = 0
            case "marker":
                marker = Marker(draw(st.sampled_from(MarkerType)), draw(st.integers(0, 3)))
                epoch = epochs.setdefault(producer, 0)
                history.append(
                    build_marker(
                        marker, producer_id=producer, producer_epoch=epoch, timestamp=NOW + offset, base_offset=offset
                    )
                )
                open_.discard(producer)
                offset += 1
            case _:
                count = draw(st.integers(1, 3))
                transactional = producer in open_ or draw(st.booleans())
                sequence = sequences.setdefault(producer, draw(st.sampled_from([0, 2**31 - 2])))
                history.append(
                    build_batch(
                        [Record(offset + n, NOW + offset, b"k", b"v") for n in range(count)],
                        producer_id=producer,
                        producer_epoch=epochs.setdefault(producer, 0),
                        base_sequence=sequence,
                        transactional=transactional,
                    )
                )
                if transactional:
                    open_.add(producer)
                sequences[producer] = (sequence + count) & 0x7FFFFFFF
                offset += count
    return history


def _replayed(states: ProducerStates, batches: list[bytearray]) -> ProducerStates:
    for batch in batches:
        states.update(BatchHeader.peek(batch), batch)
    return states


OUT_OF_ORDER = "out of order, or known of old"


def _answers(states: ProducerStates, history: list[bytearray], *, batches_in_log: int) -> list[Any]:
    """All that can be asked: state rows, the last stable offset, what each batch of old would be told now.

    What is known of batches before the last five counts as out of order: snapshots do not hold it.
    """
    answers: list[Any] = [sorted(states.describe(), key=lambda row: row.producer_id), states.last_batches()]
    answers.append(states.last_stable_offset(10_000))
    for number, batch in enumerate(history):
        try:
            answer = states.check(BatchHeader.peek(batch))
        except OutOfOrderSequence:
            answers.append(OUT_OF_ORDER)
        except Refusal as refusal:
            answers.append(repr(refusal))
        else:
            is_known_of_old = answer is not None and answer.base_offset < 0
            assert not is_known_of_old or number < batches_in_log
            answers.append(OUT_OF_ORDER if is_known_of_old else answer)
    return answers


@settings(deadline=None)
@given(histories(), st.data())
def test_snapshot_and_replay_equal_the_live_state(history: list[bytearray], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(history)))
    ends = [0, *(BatchHeader.peek(batch).next_offset for batch in history)]
    with tempfile.TemporaryDirectory() as folder:
        live = _replayed(ProducerStates(Path(folder), CONFIG), history[:at])
        live.history.take_snapshot(ends[at])
        _replayed(live, history[at:])
        restored = ProducerStates(Path(folder), CONFIG)
        start = restored.history.restore(ends[-1], 0)
        _replayed(restored, [batch for batch in history if BatchHeader.peek(batch).base_offset >= start])
        answers, expected = (_answers(each, history, batches_in_log=len(history)) for each in (restored, live))
        assert answers == expected


@settings(deadline=None)
@given(histories(), st.data())
def test_truncation_gives_the_state_that_was_there_then(history: list[bytearray], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(history)))
    snapshots, remembered = (data.draw(st.sets(st.integers(0, len(history)))) for _ in range(2))
    ends = [0, *(BatchHeader.peek(batch).next_offset for batch in history)]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        states = ProducerStates(Path(folder), CONFIG)
        for number, batch in enumerate(history):
            if number in snapshots:
                states.history.take_snapshot(ends[number])
            if number in remembered:
                states.history.remember(ends[number])
            states.update(BatchHeader.peek(batch), batch)
        start = states.history.truncate_to(ends[at])
        _replayed(states, [batch for batch in history[:at] if BatchHeader.peek(batch).base_offset >= start])
        then = _replayed(ProducerStates(Path(other), CONFIG), history[:at])
        answers, expected = (_answers(each, history, batches_in_log=at) for each in (states, then))
        assert answers == expected


@settings(deadline=None)
@given(histories())
def test_a_retry_is_never_taken_for_new(history: list[bytearray]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        states = ProducerStates(Path(folder), CONFIG)
        for batch in history:
            header = BatchHeader.peek(batch)
            states.update(header, batch)
            if not header.is_control:
                assert states.check(header) == Duplicate(header.base_offset, header.last_offset, header.max_timestamp)
