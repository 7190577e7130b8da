"""The broker that real clients are tested with.

PENSTOCK_TESTS_AGAINST=host:port points these tests at any other broker, so that a test can be tried on Apache Kafka:
what fails there is a fault of the test.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest
from tests.support.command import Penstock
from tests.support.kafka import ApacheKafka
from tests.support.process_logs import logging_as_before
from tests.support.shares import SHARE_CLUSTERS, share_settings

import penstock.testing as penstock_testing
from penstock.cluster.membership.isolation import Isolation

__all__ = ["logging_as_before"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test first, however the others were shuffled: so that workers end together."""
    items.sort(key=lambda item: item.path.name != "test_chaos.py")


@pytest.fixture(scope="session")
def bootstrap(request: pytest.FixtureRequest) -> str:
    """host:port of a broker that the whole session shares: use topics of your own."""
    elsewhere = os.environ.get("PENSTOCK_TESTS_AGAINST")
    if elsewhere:
        return elsewhere
    running = request.getfixturevalue("penstock_session_broker")
    address: str = running.bootstrap
    return address


@pytest.fixture(scope="module", params=["penstock", "kafka"])
def either_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """host:port of a broker of our own, and again of an Apache Kafka: for the client, which is to work with both."""
    if request.param == "penstock":
        with penstock_testing.broker({"node.id": "1"}) as running:
            yield running.bootstrap
    else:
        with ApacheKafka(tmp_path_factory.mktemp("kafka")) as kafka:
            yield kafka.bootstrap


@pytest.fixture(scope="module", params=SHARE_CLUSTERS)
def share_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """host:port of a broker with share groups that lend records for a short time."""
    if request.param == "penstock":
        with penstock_testing.broker({"node.id": "1"} | share_settings()) as running:
            yield running.bootstrap
    else:
        with ApacheKafka(tmp_path_factory.mktemp("kafka"), settings=share_settings()) as kafka:
            yield kafka.bootstrap


@pytest.fixture
def penstock(bootstrap: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Penstock:
    """The command, on that broker."""
    return Penstock(bootstrap, monkeypatch, capfd)


@pytest.fixture
def cut_off_unawares(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that is cut off has not asked the others yet whether they go on without it."""

    async def ask_nobody(_: Isolation) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Isolation, "run", ask_nobody)
