"""What becomes of logins."""

import asyncio
import threading
from typing import Any

import pytest
import structlog
from tests.support.clocks import ManualClock

from penstock.access.few_lines import LINES_A_MINUTE
from penstock.access.login_event import LoginEvent
from penstock.access.principal import Principal
from penstock.access.sasl.steps import PasswordCheck, Proved
from penstock.broker.login_gate import _left_s
from penstock.broker.logins import Logins
from penstock.metrics import MetricsRegistry
from penstock.settings import Config

ANNA, HOST = Principal("User", "anna"), "10.0.0.1"


def some_logins(**settings: str) -> Logins:
    unused: Any = None
    config = Config.for_broker({name.replace("_", "."): value for name, value in settings.items()})
    return Logins(
        config, (), users=unused, tokens=unused, clock=ManualClock(), dice=unused, registry=MetricsRegistry(1000),
        spawn=unused, peer_listener=None,
    )  # fmt: skip


def test_a_login_by_a_token_does_not_forgive_failures_of_its_owners_password() -> None:
    logins = some_logins(penstock_login_failures_max="2")
    failed = LoginEvent(ANNA, "PLAIN", HOST, "SASL", reason="wrong")
    for event in (failed, LoginEvent(ANNA, "SCRAM-SHA-256", HOST, "SASL", by_token=True), failed):
        logins.tell(event)
    assert logins._is_locked_out(HOST, "anna")
    logins.tell(LoginEvent(ANNA, "PLAIN", HOST, "SASL"))
    assert not logins._is_locked_out(HOST, "anna")


async def test_a_password_whose_connection_is_gone_is_not_checked() -> None:
    logins, begun, go_on = some_logins(penstock_login_checks_max="1"), threading.Event(), threading.Event()
    seen: list[bytes] = []

    class Keys:
        def fits(self, password: bytes) -> bool:
            seen.append(password)
            begun.set()
            return go_on.wait(60)

    keys: Any = Keys()
    connections: Any = ["first", "gone", "last"]
    found = [
        asyncio.create_task(logins.find_out(each, PasswordCheck(Proved(each), each.encode(), keys)))
        for each in connections
    ]
    await asyncio.to_thread(begun.wait, 60)
    logins.left("gone")  # type: ignore[arg-type]
    go_on.set()
    assert [await found[0], await found[2]] == [Proved("first"), Proved("last")]
    assert found[1].cancelled() and seen == [b"first", b"last"]
    logins.close()


@pytest.mark.parametrize(("took_s", "left_s"), [(0.0, 0.1), (0.002, 0.098), (0.1, 0.1), (0.25, 0.05)])
def test_an_answer_to_a_failure_comes_after_whole_delays(took_s: float, left_s: float) -> None:
    """How long the check took would tell how the user's keys are made."""
    assert _left_s(took_s, 0.1) == pytest.approx(left_s)
    assert _left_s(took_s, 0) == 0


def test_failures_in_masses_are_few_lines() -> None:
    logins = some_logins()
    with structlog.testing.capture_logs() as lines:
        for number in range(LINES_A_MINUTE + 5):
            logins.tell(LoginEvent(Principal("User", f"user-{number}"), "PLAIN", HOST, "SASL", reason="wrong"))
        assert len(lines) == LINES_A_MINUTE
        logins._clock.advance(61_000)  # type: ignore[attr-defined]
        logins.tell(LoginEvent(ANNA, "PLAIN", HOST, "SASL", reason="wrong"))
    assert lines[-1]["user"] == "anna" and lines[-1]["untold_before"] == 5
    assert logins._metrics.failed == LINES_A_MINUTE + 6, "all are counted"
