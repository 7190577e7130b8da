"""Stores on a real etcd."""

from collections.abc import Callable
from pathlib import Path

from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.testing.etcd import EtcdCluster


async def open_etcd(
    cluster: EtcdCluster,
    folder: Path | None = None,
    *,
    change: Callable[[EtcdOptions], EtcdOptions] = lambda same: same,
) -> EtcdMetastore:
    """`change` alters the options that reach every member without a password."""
    return await EtcdMetastore.open(change(etcd_options(cluster)), folder)


def etcd_options(cluster: EtcdCluster) -> EtcdOptions:
    return EtcdOptions(endpoints=tuple(cluster.endpoints.split(",")), probe_key="/penstock/main/")
