"""The pytest plug-in: fixtures that give a running broker.

    def test_orders_are_written(penstock_broker):            # fresh, gone after the test
    def test_many_of_these(penstock_session_broker):         # one for the whole run; use topics of your own
    def test_failover(penstock_cluster):                     # three brokers and an etcd: kill, pause, restart them

    @pytest.mark.penstock(settings={"num.partitions": 3}, mode="thread")

Keep this file cheap to import: pytest loads it in every run of everybody who has Penstock installed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from penstock.testing.running import RunningBroker
    from penstock.testing.running_cluster import RunningCluster

LOG_LINES_SHOWN = 60
MODES = ("process", "thread")


class BrokerFactory(Protocol):
    def __call__(
        self, settings: Mapping[str, object] | None = None, *, mode: str | None = None, **more: object
    ) -> "RunningBroker": ...


class ClusterFactory(Protocol):
    def __call__(
        self, settings: Mapping[str, object] | None = None, *, brokers: int = 3, etcd: int = 1, **more: object
    ) -> "RunningCluster": ...


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("penstock", "a Kafka-speaking broker for tests")
    group.addoption("--penstock-mode", choices=MODES, help="run brokers in processes (default) or threads")
    group.addoption("--penstock-keep-data", action="store_true", help="leave brokers' folders for a look afterwards")
    parser.addini("penstock_mode", "process or thread", default="process")
    parser.addini("penstock_settings", "broker settings, NAME=VALUE a line", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "penstock(settings=None, mode=None, brokers=3, etcd=1): settings and mode of this test's penstock_broker, "
        "settings and size of its penstock_cluster",
    )


def _common_settings(config: pytest.Config) -> dict[str, str]:
    lines = config.getini("penstock_settings")
    if bad := [line for line in lines if "=" not in line]:
        raise pytest.UsageError(f"penstock_settings wants NAME=VALUE a line, not {bad[0]!r}")
    return {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}


@pytest.fixture(scope="session")
def _penstock_start(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """Options and ini file applied: what all fixtures start brokers with."""

    def start(settings: Mapping[str, object] | None, mode: str | None, **more: object) -> Any:
        from penstock.testing.running import broker  # noqa: PLC0415 - only runs that want a broker pay for it

        common = _common_settings(pytestconfig)
        chosen = mode or pytestconfig.getoption("--penstock-mode") or pytestconfig.getini("penstock_mode")
        keep_data = bool(pytestconfig.getoption("--penstock-keep-data"))
        return broker({**common, **(settings or {})}, mode=chosen, keep_data=keep_data, **more)

    return start


@pytest.fixture
def penstock_broker_factory(_penstock_start: Callable[..., Any]) -> Iterator[BrokerFactory]:
    """A function that starts brokers: factory(num_partitions=3) or factory({"num.partitions": 3}, mode="thread")."""
    from contextlib import ExitStack  # noqa: PLC0415

    with ExitStack() as started:

        def start(
            settings: Mapping[str, object] | None = None, *, mode: str | None = None, **more: object
        ) -> "RunningBroker":
            running: RunningBroker = started.enter_context(_penstock_start(settings, mode, **more))
            return running

        yield start


@pytest.fixture
def penstock_broker(request: pytest.FixtureRequest, penstock_broker_factory: BrokerFactory) -> "RunningBroker":
    """A fresh broker for this test alone."""
    wishes = _wishes(request)
    return penstock_broker_factory(wishes.get("settings"), mode=wishes.get("mode"))


def _wishes(request: pytest.FixtureRequest) -> dict[str, Any]:
    marker = request.node.get_closest_marker("penstock")
    wishes = dict(marker.kwargs) if marker else {}
    if (marker and marker.args) or wishes.keys() - {"settings", "mode", "brokers", "etcd"}:
        raise pytest.UsageError(
            "pytest.mark.penstock takes settings={...}, mode='process' or 'thread', and for a cluster brokers=3 and"
            " etcd=1, by name"
        )
    return wishes


@pytest.fixture(scope="session")
def penstock_session_broker(_penstock_start: Callable[..., Any]) -> "Iterator[RunningBroker]":
    """One broker for the whole run (with pytest-xdist: for the worker)."""
    with _penstock_start(None, None) as running:
        yield running


@pytest.fixture
def penstock_cluster_factory(pytestconfig: pytest.Config) -> Iterator[ClusterFactory]:
    """A function that starts clusters: factory(brokers=3, num_partitions=6)."""
    from contextlib import ExitStack  # noqa: PLC0415

    from penstock.testing.running_cluster import cluster  # noqa: PLC0415 - only runs that want a cluster pay for it

    keep_data = bool(pytestconfig.getoption("--penstock-keep-data"))
    with ExitStack() as started:

        def start(
            settings: Mapping[str, object] | None = None, *, brokers: int = 3, etcd: int = 1, **more: object
        ) -> "RunningCluster":
            wanted = {**_common_settings(pytestconfig), **(settings or {})}
            return started.enter_context(cluster(wanted, brokers=brokers, etcd=etcd, keep_data=keep_data, **more))

        yield start


@pytest.fixture
def penstock_cluster(request: pytest.FixtureRequest, penstock_cluster_factory: ClusterFactory) -> "RunningCluster":
    """Three brokers and an etcd for this test alone, each a process that can be killed, paused and restarted."""
    wishes = _wishes(request)
    return penstock_cluster_factory(
        wishes.get("settings"), brokers=wishes.get("brokers", 3), etcd=wishes.get("etcd", 1)
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """When a test with a broker fails, show the end of the broker's log beside the failure."""
    report: pytest.TestReport = yield  # type: ignore[assignment]
    if report.failed:
        for value in list(getattr(item, "funcargs", {}).values()):
            log_tail = getattr(value, "log_tail", None)
            if callable(log_tail) and type(value).__module__.startswith(("penstock.testing.", "penstock.processes.")):
                report.sections.append((f"log of the broker at {value.bootstrap}", log_tail(LOG_LINES_SHOWN)))
    return report  # type: ignore[return-value]
