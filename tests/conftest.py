"""What all suites share: signals as a terminal would have them, and a real etcd, started when the first test of a run
asks for it: empty it before use.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from penstock.processes.etcd import EtcdCluster


# No example fails for the time it takes: that is the machine's.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")


# `penstock up` starts no web process beside each of a hundred brokers; the tests of that say where it shall listen.
os.environ.setdefault("PENSTOCK_WEB_LISTENER", "")


def pytest_configure() -> None:
    """A run begun in the background of a script ignores SIGINT, and so would every program that a test interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def etcd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdCluster]:
    from penstock.processes.etcd import EtcdCluster

    with EtcdCluster(tmp_path_factory.mktemp("etcd")) as cluster:
        yield cluster
