"""What jobs share: estimates that do not jump, and a stop that is asked for once."""

import os
import signal

import pytest

from penstock.pipelines.running import BatchProgress, Pace, Summary, stop_on_signals


def test_the_estimate_is_lag_over_the_pace_of_late() -> None:
    pace = Pace(smoothing=0.5)
    assert pace.remaining_s(1_000) is None
    pace.note(rows=1_000, seconds=10)
    assert pace.remaining_s(1_000) == 10
    pace.note(rows=3_000, seconds=10)
    assert pace.remaining_s(1_000) == 5  # (100 + 300) / 2 rows a second


def test_an_empty_batch_does_not_change_the_pace() -> None:
    pace = Pace()
    pace.note(rows=100, seconds=1)
    pace.note(rows=0, seconds=1)
    assert pace.remaining_s(100) == 1 and pace.remaining_s(None) is None


def test_rows_a_second_of_no_time_are_none() -> None:
    assert BatchProgress("q", batch=0, rows=10, seconds=0, rows_total=10).rows_per_s == 0
    assert BatchProgress("q", batch=0, rows=10, seconds=2, rows_total=10).rows_per_s == 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_handlers_come_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    told: list[str] = []
    with stop_on_signals(lambda: told.append("stopping")) as stopping:
        assert not stopping.is_set()
        os.kill(os.getpid(), number)
        assert stopping.is_set() and told == ["stopping"]
    assert signal.getsignal(number) == before


def test_a_second_ctrl_c_is_as_usual() -> None:
    with pytest.raises(KeyboardInterrupt), stop_on_signals():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)


def test_a_summary_is_json() -> None:
    summary = Summary("lake", rows_in=10, rows_out=9, bad_rows=1, batches=2, seconds=1.23456, details={"table": "t"})
    assert summary.to_json() == {
        "job": "lake", "rows_in": 10, "rows_out": 9, "bad_rows": 1, "respelled_rows": 0, "batches": 2,
        "seconds": 1.235, "stopped": False, "details": {"table": "t"},
    }  # fmt: skip
