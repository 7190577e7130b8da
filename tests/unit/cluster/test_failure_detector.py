"""When a controller that misses heartbeats takes itself for the one that is cut off."""

from types import SimpleNamespace
from typing import Any

import pytest

from penstock.cluster.duties.failure_detector import FailureDetector
from penstock.model import BrokerId


class ImageOf:
    def __init__(self, brokers: int) -> None:
        self.brokers = dict.fromkeys(map(BrokerId, range(1, brokers + 1)))

    def subscribe(self, *_: object) -> None:
        """Nothing changes here."""


@pytest.mark.parametrize(
    ("registered", "missed", "is_cut_off"),
    [(2, 1, False), (3, 1, False), (3, 2, True), (4, 2, False), (4, 3, True)],
)
def test_whoever_reaches_half_of_the_brokers_itself_included_is_not_cut_off(
    registered: int, missed: int, is_cut_off: bool
) -> None:
    nothing: Any = None  # of what it decides by, only the image and what it missed matter here
    image: Any = ImageOf(registered)
    probe: Any = SimpleNamespace(watch=lambda _told: None)
    detector = FailureDetector(
        *(nothing, nothing, image, nothing, nothing, probe, nothing, nothing),
        broker_id=BrokerId(1),
        heartbeat_ms=1_000,
        missed_max=3,
        spawn=lambda _work: None,
    )
    detector._missed = {BrokerId(2 + number): (1, 0.0) for number in range(missed)}
    assert detector._is_cut_off() is is_cut_off
