"""Fetch sessions (KIP-227): full, incremental, forgotten, evicted, refused."""

from dataclasses import dataclass

import pytest
from tests.support.clocks import ManualClock

from penstock.access.principal import Principal
from penstock.broker.fetch_sessions import EVICT_AFTER_S, FetchSession, FetchSessions
from penstock.errors import FetchSessionIdNotFound, FetchSessionTopicIdError, InvalidFetchSessionEpoch
from penstock.wire.fetch import FetchPartition, FetchRequest, PartitionAnswer

BY_ID = 13
BY_NAME = 12
TOPIC = b"\x01" * 16


class CountingDice:
    """Deals 0 first, which is no session id, then 1, 2, 3 ..."""

    def __init__(self) -> None:
        self.dealt = -1

    def random_bytes(self, count: int) -> bytes:
        self.dealt += 1
        return self.dealt.to_bytes(count, "big")

    def uniform(self, low: float, high: float) -> float:
        return low


def a_request(
    session_id: int = 0,
    epoch: int = 0,
    partitions: tuple[int, ...] = (),
    forgotten: tuple[int, ...] = (),
    offset: int = 0,
) -> FetchRequest:
    topics = [(TOPIC, [FetchPartition(index, offset, 1000) for index in partitions])] if partitions else []
    gone = [(TOPIC, list(forgotten))] if forgotten else []
    return FetchRequest(-1, -1, 500, 1, 1 << 20, 0, session_id, epoch, topics, gone)


def some_sessions(slots_max: int = 10) -> tuple[FetchSessions, ManualClock]:
    clock = ManualClock()
    return FetchSessions(slots_max=slots_max, clock=clock, dice=CountingDice()), clock


def begun(sessions: FetchSessions, *partitions: int) -> FetchSession:
    session, is_incremental = sessions.begin(a_request(partitions=partitions), BY_ID)
    assert session is not None and not is_incremental
    return session


@pytest.mark.parametrize("epoch", [0, -1, 1], ids=["begun anew", "ended", "gone on with"])
def test_another_users_session_is_none(epoch: int) -> None:
    sessions, _ = some_sessions()
    alices = begun(sessions, 0)
    eve = Principal("User", "eve")
    if epoch == 1:
        with pytest.raises(FetchSessionIdNotFound):
            sessions.begin(a_request(alices.id, 1), BY_ID, eve)
    else:
        sessions.begin(a_request(alices.id, epoch, (0,)), BY_ID, eve)
    assert sessions.begin(a_request(alices.id, 1), BY_ID) == (alices, True)


def test_a_full_fetch_with_epoch_0_begins_a_session_with_an_id_of_its_own() -> None:
    sessions, _ = some_sessions()
    assert (begun(sessions, 0, 1).id, begun(sessions, 0).id) == (1, 2)


@dataclass
class FakePartition:
    index: int
    high_watermark: int
    start_offset: int


def test_a_session_knows_what_it_told_of_a_partition() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)

    def knows(index: int, high_watermark: int, start: int) -> bool:
        return session.knows(TOPIC, FakePartition(index, high_watermark, start))  # type: ignore[arg-type]

    assert not knows(0, 5, 0)
    session.changed(TOPIC, PartitionAnswer(0, high_watermark=5, log_start_offset=0))
    assert knows(0, 5, 0)
    assert not knows(0, 6, 0) and not knows(0, 5, 1) and not knows(1, 5, 0)
    session.changed(TOPIC, PartitionAnswer(0, 6, high_watermark=5, log_start_offset=0))
    assert not knows(0, 5, 0), "after an error, that it is gone must be told"


def test_a_final_fetch_gets_no_session_and_ends_the_one_it_names() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)
    assert sessions.begin(a_request(session.id, -1, (0,)), BY_ID) == (None, False)
    assert len(sessions) == 0


def test_an_incremental_fetch_asks_for_what_was_named_before_and_now_less_what_is_forgotten() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0, 1, 2)
    same, is_incremental = sessions.begin(a_request(session.id, 1, (1, 3), (2,), offset=7), BY_ID)
    assert same is session and is_incremental
    assert [(part.index, part.offset) for _, part in session.asked()] == [(0, 0), (1, 7), (3, 7)]


def test_epochs_count_up_and_a_wrong_one_is_refused() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)
    sessions.begin(a_request(session.id, 1), BY_ID)
    with pytest.raises(InvalidFetchSessionEpoch):
        sessions.begin(a_request(session.id, 1), BY_ID)
    sessions.begin(a_request(session.id, 2), BY_ID)


def test_after_the_largest_epoch_comes_1() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)
    session.epoch = 0x7FFFFFFF
    sessions.begin(a_request(session.id, 0x7FFFFFFF), BY_ID)
    assert session.epoch == 1


def test_an_unknown_session_is_refused() -> None:
    sessions, _ = some_sessions()
    with pytest.raises(FetchSessionIdNotFound):
        sessions.begin(a_request(99, 1), BY_ID)


def test_a_session_keeps_its_way_of_naming_topics() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)
    with pytest.raises(FetchSessionTopicIdError):
        sessions.begin(a_request(session.id, 1), BY_NAME)


def test_a_full_cache_evicts_only_what_nobody_used_for_two_minutes() -> None:
    sessions, clock = some_sessions(slots_max=1)
    old = begun(sessions, 0)
    assert sessions.begin(a_request(partitions=(0,)), BY_ID) == (None, False)
    clock.advance(by_ms=int(EVICT_AFTER_S * 1000))
    assert begun(sessions, 0) is not old and sessions.evictions == 1


def test_a_session_that_has_forgotten_everything_is_over() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0, 1)
    assert sessions.begin(a_request(session.id, 1, forgotten=(0, 1)), BY_ID) == (None, False)
    assert len(sessions) == 0


def test_names_that_no_topic_has_are_not_kept() -> None:
    sessions, _ = some_sessions()
    request = a_request(partitions=(0,))
    request.topics[0] = (b"n" * 250, request.topics[0][1])
    assert sessions.begin(request, BY_NAME) == (None, False) and len(sessions) == 0
    session = begun(sessions, 0)
    request.session_id, request.session_epoch = session.id, 1
    with pytest.raises(FetchSessionIdNotFound):
        sessions.begin(request, BY_ID)
    assert len(sessions) == 0 and sessions._partitions == 0


def test_partitions_of_all_sessions_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.broker.fetch_sessions.PARTITIONS_MAX", 5)
    sessions, clock = some_sessions()
    first, second = begun(sessions, 0, 1), begun(sessions, 0, 1)
    assert sessions.begin(a_request(partitions=(0, 1)), BY_ID) == (None, False), "served without a session"
    sessions.begin(a_request(first.id, 1, (2,), forgotten=(0,)), BY_ID)
    with pytest.raises(FetchSessionIdNotFound):
        sessions.begin(a_request(second.id, 1, (2, 3)), BY_ID)
    assert len(sessions) == 1
    begun(sessions, 0, 1, 2)
    clock.advance(by_ms=int(EVICT_AFTER_S * 1000))
    begun(sessions, 0, 1, 2, 3, 4)
    assert len(sessions) == 1 and sessions.evictions == 2


def test_an_incremental_answer_mentions_only_what_changed() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)
    answer = PartitionAnswer(0, high_watermark=5, log_start_offset=0)
    assert session.changed(TOPIC, answer)
    assert not session.changed(TOPIC, answer)
    assert session.changed(TOPIC, PartitionAnswer(0, high_watermark=6, log_start_offset=0))
    assert session.changed(TOPIC, PartitionAnswer(0, high_watermark=6, log_start_offset=2))


def test_an_error_is_told_until_it_is_gone_and_once_more_when_it_is() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0)
    healthy, failing = PartitionAnswer(0, high_watermark=5, log_start_offset=0), PartitionAnswer(0, error_code=6)
    session.changed(TOPIC, healthy)
    assert session.changed(TOPIC, failing) and session.changed(TOPIC, failing)
    assert session.changed(TOPIC, healthy) and not session.changed(TOPIC, healthy)


def test_a_partition_that_got_records_is_served_last_next_time() -> None:
    sessions, _ = some_sessions()
    session = begun(sessions, 0, 1, 2)
    session.changed(TOPIC, PartitionAnswer(0, high_watermark=5, log_start_offset=0, records=object()))
    assert [part.index for _, part in session.asked()] == [1, 2, 0]
