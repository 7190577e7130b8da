"""A query's progress, committed to its group: a coordinator that is not there yet is asked again, and not for ever."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.kafka_names import KafkaError, KafkaException
from penstock.pipelines.source import group as source_group
from penstock.pipelines.source.group import GroupProgress
from penstock.pipelines.source.options import SourceOptions

ORDERS = TopicPartition("orders", PartitionIndex(0))
LOADING, REFUSED = KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.GROUP_AUTHORIZATION_FAILED


class Coordinator:
    """Answers commits with these errors, one after the other, then takes them; time passes in pauses alone."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *errors: int) -> None:
        self.errors = list(errors)
        self.offsets: list[int] = []
        self.now = 0.0
        clock = SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep)
        monkeypatch.setattr(source_group, "time", clock)
        monkeypatch.setattr(source_group, "Consumer", lambda _: self)
        monkeypatch.setattr(source_group, "_given_up", set())
        self.progress = GroupProgress(SourceOptions("h:1", ("orders",), group="spark.orders"))

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def commit(self, *, offsets: list[Any], asynchronous: bool) -> None:
        assert not asynchronous
        if self.errors:
            raise KafkaException(KafkaError(self.errors.pop(0)))
        self.offsets += [each.offset for each in offsets]


@pytest.mark.parametrize("error", [LOADING, KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE], ids=str)
def test_progress_is_committed_once_the_coordinator_is_there(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    coordinator = Coordinator(monkeypatch, error, error)
    coordinator.progress.commit({ORDERS: 7})
    assert coordinator.offsets == [7]


def test_what_does_not_pass_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator = Coordinator(monkeypatch, REFUSED)
    coordinator.progress.commit({ORDERS: 7})
    assert coordinator.offsets == [] and coordinator.now == 0
    coordinator.progress.commit({ORDERS: 7})
    assert coordinator.offsets == [7], "with the next batch it is tried again"


def test_a_coordinator_that_does_not_come_is_waited_for_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator = Coordinator(monkeypatch, *[LOADING] * 1_000)
    coordinator.progress.commit({ORDERS: 7})
    waited_s, left = coordinator.now, len(coordinator.errors)
    assert waited_s >= 30
    coordinator.progress.commit({ORDERS: 8})
    assert (coordinator.now, len(coordinator.errors)) == (waited_s, left - 1)
    coordinator.errors.clear()
    coordinator.progress.commit({ORDERS: 9})
    coordinator.errors.append(LOADING)
    coordinator.progress.commit({ORDERS: 10})
    assert coordinator.offsets == [9, 10]
