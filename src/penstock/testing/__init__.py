"""A running broker for tests: as pytest fixtures (penstock.testing.plugin), or as a context manager anywhere.

    with penstock.testing.broker() as broker:
        Producer({"bootstrap.servers": broker.bootstrap})

    with penstock.testing.cluster(brokers=3) as cluster:
        Producer({"bootstrap.servers": cluster.bootstrap})

pytest loads the plug-in in every run of everybody who has Penstock installed, and this package with it: names are
looked up when first used, so that a run without a broker pays for none.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.testing.running import BrokerFailed, RunningBroker, async_broker, broker
    from penstock.testing.running_cluster import RunningCluster, cluster

__all__ = ["BrokerFailed", "RunningBroker", "RunningCluster", "async_broker", "broker", "cluster"]

_OF_CLUSTERS = {"RunningCluster", "cluster"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - see the module's docstring

    home = "running_cluster" if name in _OF_CLUSTERS else "running"
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
