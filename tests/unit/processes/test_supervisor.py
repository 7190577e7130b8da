"""Who ended unasked is told of, and started again when it is due or when somebody wants it."""

import time

import pytest

from penstock.processes.supervisor import (
    SOUND_AFTER_S,
    Ended,
    NotStartedAgain,
    ReadyAgain,
    StartedAgain,
    StoppedForRestart,
    Supervisor,
)


class FakeMember:
    def __init__(self) -> None:
        self.is_running = self.is_started = True
        self.refusal: OSError | None = None

    def launch(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.is_running = True

    def end(self) -> None:
        self.is_running = self.is_started = False


class FakeTime:
    now_s = 100.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    fake = FakeTime()
    monkeypatch.setattr(time, "monotonic", lambda: fake.now_s)
    return fake


@pytest.fixture
def member(clock: FakeTime) -> FakeMember:
    return FakeMember()


def test_of_members_that_run_there_is_no_news(member: FakeMember) -> None:
    supervisor = Supervisor({"a": member, "b": FakeMember()}, restarts=True)
    assert supervisor.look() == []


def test_one_that_ended_is_started_again_after_its_pause_and_told_of_when_it_is_ready(
    member: FakeMember, clock: FakeTime
) -> None:
    supervisor = Supervisor({"a": member, "b": FakeMember()}, restarts=True)
    member.end()
    assert supervisor.look() == [Ended("a", 1.0)]
    clock.now_s += 0.9
    assert supervisor.look() == [] and not member.is_running
    clock.now_s += 0.1
    assert supervisor.look() == [StartedAgain("a")]
    assert supervisor.look() == []
    member.is_started = True
    assert supervisor.look() == [ReadyAgain("a")]
    assert supervisor.look() == []


def test_one_that_ended_before_the_first_look_is_seen_too(member: FakeMember) -> None:
    member.end()
    supervisor = Supervisor({"a": member}, restarts=True)
    assert supervisor.look() == [Ended("a", 1.0)]


def test_one_that_ends_while_it_starts_has_ended_again(member: FakeMember, clock: FakeTime) -> None:
    supervisor = Supervisor({"a": member}, restarts=True)
    member.end()
    supervisor.look()
    clock.now_s += 1.0
    assert supervisor.look() == [StartedAgain("a")]
    member.end()
    assert supervisor.look() == [Ended("a", 1.0)]


def test_pauses_double_up_to_the_longest_and_are_short_again_after_a_long_life(
    member: FakeMember, clock: FakeTime
) -> None:
    supervisor = Supervisor({"a": member}, restarts=True, pause_max_s=5.0)
    for pause_s in (1.0, 2.0, 4.0, 5.0, 5.0):
        member.end()
        assert supervisor.look() == [Ended("a", pause_s)]
        clock.now_s += pause_s
        assert supervisor.look() == [StartedAgain("a")]
    clock.now_s += SOUND_AFTER_S
    member.end()
    assert supervisor.look() == [Ended("a", 1.0)]


def test_without_restarts_it_stays_down_until_somebody_wants_it(member: FakeMember, clock: FakeTime) -> None:
    wanted: set[str] = set()
    supervisor = Supervisor({"a": member}, restarts=False, is_wanted=wanted.__contains__)
    member.end()
    assert supervisor.look() == [Ended("a", None)]
    clock.now_s += 1_000_000.0
    assert supervisor.look() == []
    wanted.add("a")
    assert supervisor.look() == [StartedAgain("a")]


def test_one_that_was_stopped_to_be_started_again_did_not_end_unasked(member: FakeMember) -> None:
    supervisor = Supervisor({"a": member}, restarts=True, is_wanted=lambda _: True)
    member.end()
    assert supervisor.look() == [StoppedForRestart("a"), StartedAgain("a")]


def test_where_the_machine_refuses_a_process_it_is_asked_again_later_and_the_others_are_looked_at(
    member: FakeMember, clock: FakeTime
) -> None:
    other = FakeMember()
    supervisor = Supervisor({"a": member, "b": other}, restarts=True, pause_max_s=60.0)
    member.end()
    supervisor.look()
    member.refusal = BlockingIOError("no process to be had")
    clock.now_s += 1.0
    other.end()
    assert supervisor.look() == [NotStartedAgain("a", member.refusal, 2.0), Ended("b", 1.0)]
    member.refusal = None
    clock.now_s += 1.9
    assert supervisor.look() == [StartedAgain("b")]
    clock.now_s += 0.1
    assert supervisor.look() == [StartedAgain("a")]
