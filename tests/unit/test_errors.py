"""The table of refusals: Kafka's codes, Kafka's names, one class each."""

import pytest

from penstock import errors
from penstock.errors import (
    MESSAGE_MAX,
    InvalidRequest,
    NotLeaderOrFollower,
    OutOfOrderSequence,
    Refusal,
    UnknownServerError,
    UnknownTopicOrPartition,
    all_refusals,
    error_name,
    refusal_for,
)


def test_every_code_of_kafka_4_3_has_a_class() -> None:
    assert [refusal.code for refusal in all_refusals()] == [-1, *range(1, 134)]


@pytest.mark.parametrize(
    ("code", "name", "retriable"),
    [
        (-1, "UNKNOWN_SERVER_ERROR", False),
        (1, "OFFSET_OUT_OF_RANGE", False),
        (2, "CORRUPT_MESSAGE", True),
        (3, "UNKNOWN_TOPIC_OR_PARTITION", True),
        (6, "NOT_LEADER_OR_FOLLOWER", True),
        (10, "MESSAGE_TOO_LARGE", False),
        (13, "NETWORK_EXCEPTION", True),
        (17, "INVALID_TOPIC_EXCEPTION", False),
        (45, "OUT_OF_ORDER_SEQUENCE_NUMBER", False),
        (46, "DUPLICATE_SEQUENCE_NUMBER", False),
        (56, "KAFKA_STORAGE_ERROR", True),
        (100, "UNKNOWN_TOPIC_ID", True),
        (133, "SHARE_SESSION_LIMIT_REACHED", True),
    ],
)
def test_codes_carry_kafkas_names_and_flags(code: int, name: str, retriable: bool) -> None:
    assert error_name(code) == name
    assert refusal_for(code).retriable is retriable


def test_names_are_unique_and_zero_is_none() -> None:
    names = [refusal.kafka_name for refusal in all_refusals()]
    assert len(set(names)) == len(names)
    assert error_name(0) == "NONE"


def test_the_particulars_are_the_message_and_the_meaning_stands_in_for_them() -> None:
    assert OutOfOrderSequence("7 after 3").message == "7 after 3"
    assert UnknownTopicOrPartition().message == "There is no such topic or partition here."
    assert str(OutOfOrderSequence("7 after 3")) == "7 after 3"


def test_an_unknown_code_is_an_unknown_server_error() -> None:
    assert refusal_for(4_711) is UnknownServerError
    assert error_name(4_711) == "UNKNOWN_SERVER_ERROR"


def test_a_code_used_twice_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="error code 6 is taken"):
        type("Again", (Refusal,), {}, code=6)


def test_a_refusal_without_a_code_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="names no Kafka error code"):
        type("Codeless", (Refusal,), {})


def test_a_finer_case_shares_its_parents_code() -> None:
    class LeaderMoved(NotLeaderOrFollower):
        """It went elsewhere."""

    assert LeaderMoved.code == 6 and LeaderMoved.retriable and LeaderMoved.kafka_name == "NOT_LEADER_OR_FOLLOWER"
    assert refusal_for(6) is NotLeaderOrFollower


def test_every_class_explains_itself() -> None:
    for refusal in all_refusals():
        assert refusal.meaning().endswith("."), refusal
        assert getattr(errors, refusal.__name__) is refusal


def test_a_text_that_repeats_what_a_client_sent_has_an_end() -> None:
    message = InvalidRequest("x" * 40_000).message
    assert len(message) == MESSAGE_MAX and message.endswith("x…")
