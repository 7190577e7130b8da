"""Which slot a row gets: a function of the row and the layout, and of nothing else."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.layout import Layout, TopicShape
from penstock.pipelines.sink.murmur2 import partition_of
from penstock.pipelines.sink.placing import slots_of

LAYOUT = Layout.of([TopicShape("bills", "i", 4), TopicShape("orders", "j", 3)])
Row = tuple[str, int | None, bytes | None, int]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["bills", "orders"]),
        st.one_of(st.none(), st.integers(0, 2)),
        st.one_of(st.none(), st.binary(max_size=9)),
        st.integers(-(2**63), 2**63 - 1),
    )
)


def slots(rows: list[Row]) -> list[int]:
    topic, partition, key, spread = zip(*rows, strict=True) if rows else ((), (), (), ())
    found: list[int] = slots_of(
        LAYOUT,
        pa.array(topic, pa.string()),
        pa.array(partition, pa.int32()),
        pa.array(key, pa.binary()),
        pa.array(spread, pa.int64()),
    ).to_pylist()
    return found


@settings(deadline=None)
@given(ROWS)
def test_a_row_goes_to_its_topic_by_partition_or_key_or_content(rows: list[Row]) -> None:
    for (topic, partition, key, spread), slot in zip(rows, slots(rows), strict=True):
        target = LAYOUT.targets[slot]
        count = 4 if topic == "bills" else 3
        assert target.topic == topic
        if partition is not None:
            assert target.partition == partition
        elif key is not None:
            assert target.partition == partition_of(key, count)
        else:
            assert target.partition == spread % count


@settings(deadline=None)
@given(ROWS, st.data())
def test_a_rows_slot_does_not_depend_on_its_neighbours(rows: list[Row], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(rows)))
    assert slots(rows) == slots(rows[:cut]) + slots(rows[cut:])


def test_a_topic_that_was_not_named_is_refused_by_name() -> None:
    with pytest.raises(PipelineProblem, match="'refunds', which is not among those given: bills, orders"):
        slots([("orders", None, b"k", 0), ("refunds", None, b"k", 0)])


def test_a_partition_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(PipelineProblem, match="partition 3 of topic orders, which has 3"):
        slots([("orders", 3, b"k", 0)])
