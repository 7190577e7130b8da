"""Offsets as the client library hands them over: what is none is never taken for one."""

from concurrent.futures import Future
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import ListOffsetsResultInfo  # type: ignore[attr-defined]

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.kafka_names import AdminClient
from penstock.cli.positions import AtTime, Beginning, find_spans
from penstock.cli.remaining import Remaining
from penstock.cli.topic.offsets import NO_ANSWER, answer_of, offsets_at_time, partition_ranges

NOTHING_CAME = -1001
"""What librdkafka answers, without an error, for a leader that did not answer in time."""


def answered(offset: int) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(ListOffsetsResultInfo(offset, -1, -1))
    return future


def refused(code: int) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_exception(KafkaException(KafkaError(code)))
    return future


@pytest.mark.parametrize("offset", [NOTHING_CAME, -1000, -2, -(2**63)])
def test_a_negative_offset_is_no_offset(offset: int) -> None:
    answer = answer_of(answered(offset), within_s=1)
    assert (answer.offset, answer.problem) == (None, NO_ANSWER)


def test_an_offset_is_one() -> None:
    assert [answer_of(answered(offset), within_s=1).offset for offset in (0, 7, 2**63 - 1)] == [0, 7, 2**63 - 1]


def test_what_is_refused_has_the_words_of_the_refusal() -> None:
    answer = answer_of(refused(KafkaError.LEADER_NOT_AVAILABLE), within_s=1)
    assert answer.offset is None and "LEADER_NOT_AVAILABLE" in (answer.problem or "")


class AnsweringAdmin:
    """Answers list_offsets from a table by partition: of the beginning, the end and any time alike."""

    def __init__(self, answers: dict[int, "Future[Any]"]) -> None:
        self._answers = answers

    def list_offsets(self, asked: dict[Any, Any], **_: Any) -> dict[Any, "Future[Any]"]:
        return {place: self._answers[place.partition] for place in asked}


class StillCluster(Cluster):
    """One that there is nothing new to hear from."""

    def reach(self, *_: Any) -> Any:
        return None


def a_cluster() -> Cluster:
    return StillCluster("127.0.0.1:1", timeout_s=0.01)


def test_a_partition_that_does_not_tell_hides_nothing_of_the_others() -> None:
    admin = cast(AdminClient, AnsweringAdmin({0: answered(5), 1: answered(NOTHING_CAME)}))
    ranges = partition_ranges(admin, a_cluster(), [("t", 0), ("t", 1)])
    assert (ranges["t", 0].begin, ranges["t", 0].end, ranges["t", 0].problem) == (5, 5, None)
    assert (ranges["t", 1].begin, ranges["t", 1].count, ranges["t", 1].problem) == (None, None, NO_ANSWER)


def test_a_log_that_has_no_end_is_not_known_either() -> None:
    admin = cast(AdminClient, AnsweringAdmin({0: answered(-1)}))
    assert partition_ranges(admin, a_cluster(), [("t", 0)])["t", 0].problem == NO_ANSWER


def test_reading_is_refused_with_every_partition_that_does_not_tell_its_offsets() -> None:
    silent = refused(KafkaError.LEADER_NOT_AVAILABLE)
    admin = cast(AdminClient, AnsweringAdmin({0: answered(5), 1: answered(NOTHING_CAME), 2: silent}))
    with pytest.raises(Failure, match="the offsets of t-1, t-2 are not known") as failure:
        find_spans(admin, a_cluster(), topic="t", partitions=[0, 1, 2], start=Beginning(), read_committed=True)
    assert failure.value.exit_code == ExitCode.FAILED
    assert "t-2:" in (failure.value.hint or "") and "LEADER_NOT_AVAILABLE" in (failure.value.hint or "")


def test_no_answer_to_a_time_is_not_taken_for_no_record_since() -> None:
    young = AnsweringAdmin({0: answered(-1)})
    assert offsets_at_time(cast(AdminClient, young), a_cluster(), [("t", 0)], 0) == {("t", 0): None}
    silent = cast(AdminClient, AnsweringAdmin({0: answered(NOTHING_CAME)}))
    with pytest.raises(Failure, match="the offsets of t-0 are not known"):
        offsets_at_time(silent, a_cluster(), [("t", 0)], 0)
    with pytest.raises(Failure, match="the offsets of t-0 are not known"):
        find_spans(silent, a_cluster(), topic="t", partitions=[0], start=AtTime(0), read_committed=False)


def test_an_end_below_the_one_that_was_promised_is_not_the_end() -> None:
    remaining = Remaining({0: 10, 3: 4})
    remaining.reached(0, 9)  # what a leader that has just taken over may call its end
    remaining.reached(3, 4)
    assert remaining and remaining.names("t") == "t-0"
    remaining.reached(0, 10)
    assert not remaining
