"""A running broker for tests: as pytest fixtures (penstock.testing.plugin), or as a context manager anywhere.

    with penstock.testing.broker() as broker:
        Producer({"bootstrap.servers": broker.bootstrap})

pytest loads the plug-in in every run of everybody who has Penstock installed, and this package with it: names are
looked up when first used, so that a run without a broker pays for none.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.testing.running import BrokerFailed, RunningBroker, async_broker, broker

__all__ = ["BrokerFailed", "RunningBroker", "async_broker", "broker"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from penstock.testing import running  # noqa: PLC0415 - see the module's docstring

    return getattr(running, name)
