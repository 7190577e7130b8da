"""A real etcd, started when the first test of a run asks for it, and shared by the rest."""

from collections.abc import Iterator

import pytest

from penstock.testing.etcd import EtcdCluster


@pytest.fixture(scope="session")
def etcd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdCluster]:
    with EtcdCluster(tmp_path_factory.mktemp("etcd")) as cluster:
        yield cluster
