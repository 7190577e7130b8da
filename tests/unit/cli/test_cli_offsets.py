"""Offsets as brokers tell them: what is none is never taken for one."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.positions import AtTime, Beginning, find_spans
from penstock.cli.remaining import Remaining
from penstock.cli.topic.offsets import NO_ANSWER, offsets_at_time, partition_ranges
from penstock.client import Client, FoundOffset, NoAnswer, OffsetRange
from penstock.errors import LeaderNotAvailable, Refusal

NOTHING_CAME = NoAnswer("broker a:1: no answer within 5 s")
NOBODY_LEADS = LeaderNotAvailable("nobody leads t-2 at the moment")


class AnsweringClient:
    """Answers from a table by partition: of the beginning, the end and any time alike."""

    def __init__(self, answers: dict[int, int | Refusal]) -> None:
        self._answers = answers

    def offset_ranges(self, asked: Iterable[Any], **_: Any) -> dict[Any, OffsetRange | Refusal]:
        found = {place: self._answers[place.partition] for place in asked}
        return {place: each if isinstance(each, Refusal) else OffsetRange(each, each) for place, each in found.items()}

    def list_offsets(self, asked: dict[Any, int], **_: Any) -> dict[Any, FoundOffset | Refusal]:
        found = {place: self._answers[place.partition] for place in asked}
        return {
            place: each if isinstance(each, Refusal) else FoundOffset(each, -1, -1) for place, each in found.items()
        }


class AnsweringCluster(Cluster):
    def __init__(self, answers: dict[int, int | Refusal]) -> None:
        super().__init__("127.0.0.1:1", timeout_s=0.01)
        self._answers = answers

    def client(self) -> Client:
        return cast(Client, AnsweringClient(self._answers))


@pytest.mark.parametrize("offset", [-1, -1001, -1000, -2, -(2**63)])
def test_a_negative_offset_is_no_offset(offset: int) -> None:
    found = partition_ranges(AnsweringCluster({0: offset}), [("t", 0)])["t", 0]
    assert (found.begin, found.end, found.problem) == (None, None, NO_ANSWER)


def test_an_offset_is_one() -> None:
    cluster = AnsweringCluster({0: 0, 1: 7, 2: 2**63 - 1})
    ranges = partition_ranges(cluster, [("t", 0), ("t", 1), ("t", 2)])
    assert [each.end for each in ranges.values()] == [0, 7, 2**63 - 1]


def test_what_is_refused_has_the_words_of_the_refusal() -> None:
    found = partition_ranges(AnsweringCluster({0: NOBODY_LEADS}), [("t", 0)])["t", 0]
    assert found.begin is None and "LEADER_NOT_AVAILABLE" in (found.problem or "")


def test_a_partition_that_does_not_tell_hides_nothing_of_the_others() -> None:
    cluster = AnsweringCluster({0: 5, 1: NOTHING_CAME})
    ranges = partition_ranges(cluster, [("t", 0), ("t", 1)])
    assert (ranges["t", 0].begin, ranges["t", 0].end, ranges["t", 0].problem) == (5, 5, None)
    assert (ranges["t", 1].begin, ranges["t", 1].count, ranges["t", 1].problem) == (None, None, NO_ANSWER)


def test_reading_is_refused_with_every_partition_that_does_not_tell_its_offsets() -> None:
    cluster = AnsweringCluster({0: 5, 1: NOTHING_CAME, 2: NOBODY_LEADS})
    with pytest.raises(Failure, match="the offsets of t-1, t-2 are not known") as failure:
        find_spans(cluster, topic="t", partitions=[0, 1, 2], start=Beginning(), read_committed=True)
    assert failure.value.exit_code == ExitCode.FAILED
    assert "t-2:" in (failure.value.hint or "") and "LEADER_NOT_AVAILABLE" in (failure.value.hint or "")


def test_no_answer_to_a_time_is_not_taken_for_no_record_since() -> None:
    assert offsets_at_time(AnsweringCluster({0: -1}), [("t", 0)], 0) == {("t", 0): None}
    silent = AnsweringCluster({0: NOTHING_CAME})
    with pytest.raises(Failure, match="the offsets of t-0 are not known"):
        offsets_at_time(silent, [("t", 0)], 0)
    with pytest.raises(Failure, match="the offsets of t-0 are not known"):
        find_spans(silent, topic="t", partitions=[0], start=AtTime(0), read_committed=False)


def test_an_end_below_the_one_that_was_promised_is_not_the_end() -> None:
    remaining = Remaining({0: 10, 3: 4})
    remaining.reached(0, 9)  # what a leader that has just taken over may call its end
    remaining.reached(3, 4)
    assert remaining and remaining.names("t") == "t-0"
    remaining.reached(0, 10)
    assert not remaining
