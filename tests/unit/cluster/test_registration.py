"""What a broker does about its former self before it registers."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.clocks import ManualClock

from penstock.cluster.keys import Keys
from penstock.cluster.log_report import LogReport
from penstock.cluster.membership.registration import Registration
from penstock.metastore import Conflict, Unavailable
from penstock.model import BrokerId


class Store:
    """Answers commits with what it is given, one after the other."""

    def __init__(self, *answers: Exception | None) -> None:
        self._answers = list(answers)
        self.asked = 0

    async def commit(self, transaction: object) -> int:
        self.asked += 1
        answer = self._answers.pop(0)
        if answer is not None:
            raise answer
        return 1


class Duties:
    """Has rulings until so many commits were made."""

    def __init__(self, store: Store, until: int) -> None:
        self._store = store
        self._until = until

    def step_down(self, *_: object, **__: object) -> list[str]:
        return [] if self._store.asked >= self._until else ["one"]

    def batches(self, rulings: list[str]) -> list[Any]:
        return [SimpleNamespace(transaction=ruling) for ruling in rulings]


async def caught_up() -> None:
    pass


def registration(store: Store, *, until: int) -> Registration:
    nothing: Any = None
    image: Any = SimpleNamespace(subscribe=lambda *_: None)
    feed: Any = SimpleNamespace(catch_up=caught_up)
    real: Any = store
    duties: Any = Duties(store, until)
    return Registration(
        *(real, Keys("test"), image, feed, duties, nothing),
        broker_id=BrokerId(1),
        clock=ManualClock(),
        lease_ms=3_000,
        heartbeat_ms=1_000,
    )


async def test_leaderships_that_somebody_else_changed_meanwhile_are_looked_at_again() -> None:
    store = Store(Conflict("changed"), None)
    await registration(store, until=2)._step_down(LogReport(), lost_page_cache=False)
    assert store.asked == 2


async def test_a_store_that_is_away_is_said_rather_than_taken_for_done() -> None:
    with pytest.raises(Unavailable):
        await registration(Store(Unavailable("away")), until=1)._step_down(LogReport(), lost_page_cache=False)
