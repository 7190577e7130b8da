"""The pytest plug-in: fixtures that give a running broker.

    def test_orders_are_written(penstock_broker):            # fresh, gone after the test
    def test_many_of_these(penstock_session_broker):         # one for the whole run; use topics of your own

    @pytest.mark.penstock(settings={"num.partitions": 3}, mode="thread")

Keep this file cheap to import: pytest loads it in every run of everybody who has Penstock installed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from penstock.testing.running import RunningBroker

LOG_LINES_SHOWN = 60
MODES = ("process", "thread")


class BrokerFactory(Protocol):
    def __call__(
        self, settings: Mapping[str, object] | None = None, *, mode: str | None = None, **more: object
    ) -> "RunningBroker": ...


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("penstock", "a Kafka-speaking broker for tests")
    group.addoption("--penstock-mode", choices=MODES, help="run brokers in processes (default) or threads")
    group.addoption("--penstock-keep-data", action="store_true", help="leave brokers' folders for a look afterwards")
    parser.addini("penstock_mode", "process or thread", default="process")
    parser.addini("penstock_settings", "broker settings, NAME=VALUE a line", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "penstock(settings=None, mode=None): settings and mode of this test's penstock_broker"
    )


@pytest.fixture(scope="session")
def _penstock_start(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """Options and ini file applied: what all fixtures start brokers with."""

    def start(settings: Mapping[str, object] | None, mode: str | None, **more: object) -> Any:
        from penstock.testing.running import broker  # noqa: PLC0415 - only runs that want a broker pay for it

        lines = pytestconfig.getini("penstock_settings")
        if bad := [line for line in lines if "=" not in line]:
            raise pytest.UsageError(f"penstock_settings wants NAME=VALUE a line, not {bad[0]!r}")
        common = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
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
    marker = request.node.get_closest_marker("penstock")
    wishes = dict(marker.kwargs) if marker else {}
    settings, mode = wishes.pop("settings", None), wishes.pop("mode", None)
    if wishes or (marker and marker.args):
        raise pytest.UsageError("pytest.mark.penstock takes settings={...} and mode='process' or 'thread', by name")
    return penstock_broker_factory(settings, mode=mode)


@pytest.fixture(scope="session")
def penstock_session_broker(_penstock_start: Callable[..., Any]) -> "Iterator[RunningBroker]":
    """One broker for the whole run (with pytest-xdist: for the worker)."""
    with _penstock_start(None, None) as running:
        yield running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """When a test with a broker fails, show the end of the broker's log beside the failure."""
    report: pytest.TestReport = yield  # type: ignore[assignment]
    if report.failed:
        for value in list(getattr(item, "funcargs", {}).values()):
            log_tail = getattr(value, "log_tail", None)
            if callable(log_tail) and type(value).__module__.startswith("penstock.testing."):
                report.sections.append((f"log of the broker at {value.bootstrap}", log_tail(LOG_LINES_SHOWN)))
    return report  # type: ignore[return-value]
