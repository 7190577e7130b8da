from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.pipelines.sink.layout import Layout, Target, TopicShape

SHAPES = st.lists(
    st.builds(TopicShape, st.sampled_from("abcdef"), st.sampled_from(["1", "2"]), st.integers(1, 20)),
    unique_by=lambda shape: shape.name,
    min_size=1,
)


@settings(deadline=None)
@given(SHAPES)
def test_slots_number_every_partition_once(shapes: list[TopicShape]) -> None:
    layout = Layout.of(shapes)
    assert len(layout.targets) == layout.slots == len(set(layout.targets))
    for shape, first in zip(layout.topics, layout.first_slots, strict=True):
        assert layout.targets[first] == Target(shape.name, shape.topic_id, 0)


@settings(deadline=None)
@given(SHAPES)
def test_a_layout_survives_being_written_down(shapes: list[TopicShape]) -> None:
    layout = Layout.of(shapes)
    assert Layout.from_json(layout.to_json()) == layout


@settings(deadline=None)
@given(SHAPES)
def test_the_order_in_which_topics_are_named_does_not_matter(shapes: list[TopicShape]) -> None:
    assert Layout.of(reversed(shapes)) == Layout.of(shapes)


def test_a_batch_that_is_run_again_does_not_use_partitions_added_since() -> None:
    begun = Layout.of([TopicShape("orders", "id-1", 3)])
    assert begun.kept_for(Layout.of([TopicShape("orders", "id-1", 5)])) == begun


def test_a_topic_made_anew_is_laid_out_as_it_is() -> None:
    begun = Layout.of([TopicShape("orders", "id-1", 3), TopicShape("bills", "id-7", 2)])
    now = Layout.of([TopicShape("orders", "id-2", 5), TopicShape("bills", "id-7", 9)])
    assert begun.kept_for(now) == Layout.of([TopicShape("orders", "id-2", 5), TopicShape("bills", "id-7", 2)])
