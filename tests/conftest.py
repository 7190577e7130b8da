"""A real etcd, started when the first test of a run asks for it, and shared by the rest: empty it before use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from penstock.testing.etcd import EtcdCluster


@pytest.fixture(scope="session")
def etcd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdCluster]:
    from penstock.testing.etcd import EtcdCluster

    with EtcdCluster(tmp_path_factory.mktemp("etcd")) as cluster:
        yield cluster
