"""Stores on a real etcd."""

from collections.abc import Callable
from pathlib import Path

from penstock.metastore import Revision
from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.protobuf import integer
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.processes.etcd import EtcdCluster

REQUEST_TIMEOUT_MS = 30_000
"""Ten times what brokers have: an etcd on a busy disk may take seconds for a write, and few tests are about that."""


async def open_etcd(
    cluster: EtcdCluster,
    folder: Path | None = None,
    *,
    change: Callable[[EtcdOptions], EtcdOptions] = lambda same: same,
) -> EtcdMetastore:
    """`change` alters the options that reach every member without a password."""
    return await EtcdMetastore.open(change(etcd_options(cluster)), folder)


def etcd_options(cluster: EtcdCluster) -> EtcdOptions:
    return EtcdOptions(
        endpoints=tuple(cluster.endpoints.split(",")),
        probe_key="/penstock/main/",
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


async def compact(store: EtcdMetastore, revision: Revision) -> None:
    """Make etcd forget what came before, as its own auto-compaction or an operator does."""
    request = integer(1, revision) + integer(2, 1)
    await store._client.ask("/etcdserverpb.KV/Compact", request, is_repeatable=True)
