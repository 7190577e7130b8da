"""Progress as a table keeps it, what may change between two runs, and how a batch is cut: all without Spark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.pipelines.jobs.lake.batches import lag, next_ranges
from penstock.pipelines.jobs.lake.progress import Progress, TopicProgress, caught_up
from penstock.pipelines.jobs.topics import TopicState
from penstock.pipelines.problems import PipelineProblem

OFFSETS = st.lists(st.integers(0, 2**40), min_size=1, max_size=5).map(tuple)
PROGRESS = st.builds(
    Progress,
    st.integers(0, 2**31),
    st.text(max_size=5),
    st.dictionaries(st.sampled_from("abc"), st.builds(TopicProgress, st.text(max_size=3), OFFSETS)),
)


def now(progress: Progress, *, start: str = "earliest", cluster: str = "c", **found: TopicState) -> Progress:
    return caught_up(progress, cluster, found, start=start, accept_new_topic=False, accept_gaps=False)


def read_to(*offsets: int, topic_id: str = "t1") -> Progress:
    return Progress(3, "c", {"orders": TopicProgress(topic_id, offsets)})


@given(PROGRESS)
def test_what_is_kept_is_read_back(progress: Progress) -> None:
    assert Progress.from_text(progress.to_text()) == progress


def test_a_first_run_begins_at_the_start_or_the_end_as_asked() -> None:
    state = TopicState("t1", begins=(2, 0), ends=(9, 5))
    assert now(Progress(), orders=state).topics["orders"].next == (2, 0)
    assert now(Progress(), start="latest", orders=state).topics["orders"].next == (9, 5)


def test_a_partition_that_was_added_begins_at_its_start_even_for_a_job_that_began_at_the_end() -> None:
    state = TopicState("t1", begins=(0, 0), ends=(9, 5))
    assert now(read_to(7), start="latest", orders=state).topics["orders"].next == (7, 0)


@pytest.mark.parametrize(
    ("state", "cluster", "what"),
    [
        (TopicState("t2", (0,), (9,)), "c", "deleted and created anew"),
        (TopicState("t1", (0,), (6,)), "c", "ends at offset 6"),
        (TopicState("t1", (8,), (9,)), "c", "1 offset gone"),
        (TopicState("t1", (0,), (9,)), "other", "filled from cluster c"),
    ],
)
def test_what_would_lose_or_repeat_rows_is_refused(state: TopicState, cluster: str, what: str) -> None:
    with pytest.raises(PipelineProblem, match=what):
        now(read_to(7), cluster=cluster, orders=state)


def test_a_new_topic_or_a_gap_is_taken_when_it_is_accepted() -> None:
    made_anew = {"orders": TopicState("t2", (0, 0), (9, 5))}
    accepted = caught_up(read_to(7), "c", made_anew, start="latest", accept_new_topic=True, accept_gaps=False)
    assert accepted.topics["orders"] == TopicProgress("t2", (0, 0))
    gone = {"orders": TopicState("t1", (8,), (9,))}
    later = caught_up(read_to(7), "c", gone, start="latest", accept_new_topic=False, accept_gaps=True)
    assert later.topics["orders"].next == (8,)


PLACES = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=1, max_size=6)


@given(PLACES, st.integers(1, 500))
def test_batches_read_everything_once_and_keep_to_the_bound(places: list[tuple[int, int]], records_max: int) -> None:
    ends = {"orders": tuple(first + count for first, count in places)}
    progress = read_to(*(first for first, _ in places))
    read: dict[int, list[int]] = {partition: [] for partition in range(len(places))}
    while ranges := next_ranges(progress, ends, records_max=records_max):
        assert sum(end - first for first, end in ranges.values()) <= records_max + len(ranges)
        for (_, partition), (first, end) in ranges.items():
            read[partition].extend(range(first, end))
        before = lag(progress, ends)
        progress = progress.advanced(ranges)
        assert lag(progress, ends) < before
    assert read == {n: list(range(first, first + count)) for n, (first, count) in enumerate(places)}


def test_dead_letters_know_of_all_that_was_buried_however_batches_are_cut() -> None:
    letters = Progress(4, "c", {"orders": TopicProgress("t1", (9, 2)), "sales": TopicProgress("s1", (3,))})
    after = letters.passing(Progress(7, "c", {"orders": TopicProgress("t1", (5, 4, 1))}))
    assert after.sequence == 5
    assert after.topics == {"orders": TopicProgress("t1", (9, 4, 1)), "sales": TopicProgress("s1", (3,))}
    anew = letters.passing(Progress(7, "c", {"orders": TopicProgress("t2", (5, 1))}))
    assert anew.topics["orders"] == TopicProgress("t2", (5, 1))
