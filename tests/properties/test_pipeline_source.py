"""Whatever the logs do and whatever the limits are: a stream reads every offset once, in steps, and ends."""

import json

from hypothesis import given
from hypothesis import strategies as st

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.source.planning import Log, Range, limited, ranges, split
from penstock.pipelines.source.positions import Position

partitions = st.builds(TopicPartition, st.sampled_from(["a", "b.c", "d_e-f"]), st.integers(0, 3).map(PartitionIndex))
logs_of = st.dictionaries(
    partitions,
    st.tuples(st.integers(0, 1_000), st.integers(0, 1_000)).map(lambda pair: Log(min(pair), max(pair))),
    max_size=8,
)


@given(logs=logs_of, records_max=st.none() | st.integers(1, 500), known=st.data())
def test_limited_steps_read_every_offset_once_and_end(
    logs: dict[TopicPartition, Log], records_max: int | None, known: st.DataObject
) -> None:
    current = {
        each: known.draw(st.integers(log.start, log.end)) for each, log in logs.items() if known.draw(st.booleans())
    }
    begun, seen = dict(current), []
    for _ in range(2_000):
        ends = limited(current, logs, records_max)
        assert all(ends[each] >= offset for each, offset in current.items()), "a partition went back"
        assert all(ends[each] <= log.end for each, log in logs.items()), "beyond the end"
        found, _ = ranges(Position(current), Position(ends), logs, {})
        if records_max is not None:
            assert sum(each.records for each in found) <= records_max + len(logs)
        seen += found
        if ends == current:
            break
        current = ends
    else:
        raise AssertionError("does not end")
    for each, log in logs.items():
        wanted = range(max(begun.get(each, 0), log.start), log.end)
        assert [n for part in seen if part.partition == each for n in range(part.start, part.end)] == list(wanted)


@given(
    parts=st.lists(st.tuples(partitions, st.integers(0, 500), st.integers(1, 500)), max_size=5),
    record_bytes=st.floats(0, 1e6),
    bytes_max=st.integers(1, 10**8),
    records_max=st.none() | st.integers(1, 100),
    partitions_min=st.none() | st.integers(1, 64),
)
def test_cutting_covers_every_offset_once_in_order(
    parts: list[tuple[TopicPartition, int, int]],
    record_bytes: float,
    bytes_max: int,
    records_max: int | None,
    partitions_min: int | None,
) -> None:
    whole = [Range(each, start, start + length) for each, start, length in parts]
    cut = split(
        whole,
        record_bytes={each.partition: record_bytes for each in whole},
        bytes_max=bytes_max,
        records_max=records_max,
        partitions_min=partitions_min,
    )
    assert _offsets(cut) == _offsets(whole)
    assert all(each.records >= 1 for each in cut)
    if records_max is not None:
        assert all(each.records <= records_max for each in cut)


def _offsets(parts: list[Range]) -> list[tuple[TopicPartition, int]]:
    return [(each.partition, offset) for each in parts for offset in range(each.start, each.end)]


@given(
    offsets=st.dictionaries(partitions, st.integers(0, 2**62)),
    ids=st.dictionaries(st.sampled_from(["a", "b.c"]), st.text(max_size=8)),
    began=st.none() | st.dictionaries(partitions, st.integers(0, 2**62)),
)
def test_a_position_survives_a_checkpoint(
    offsets: dict[TopicPartition, int], ids: dict[str, str], began: dict[TopicPartition, int] | None
) -> None:
    position = Position(offsets, ids, began)
    text = json.dumps(position.to_json())
    again = Position.from_json(json.loads(text))
    assert again == position and json.dumps(again.to_json()) == text
