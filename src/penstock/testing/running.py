"""Brokers for tests: broker() and async_broker(), in a process (process.py) or a thread (thread.py)."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from penstock.processes.broker import BrokerFailed, RunningBroker

__all__ = ["FOR_TESTS", "BrokerFailed", "RunningBroker", "as_settings", "async_broker", "broker", "settings_problems"]

FOR_TESTS = {"group.initial.rebalance.delay.ms": "0"}
"""A test's consumers come when it starts them: none is waited for."""


def as_settings(settings: Mapping[str, object] | None, more: Mapping[str, object]) -> dict[str, str]:
    """Settings by Kafka's names; as keywords with underscores for dots. True is true, not True."""
    named = {**(settings or {}), **{name.replace("_", "."): value for name, value in more.items()}}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in named.items()}


def settings_problems(problems: Sequence[str]) -> str:
    """What is wrong with a broker's settings; nobody typed the --set that the loader tells of."""
    return "the settings cannot be used:\n  " + "\n  ".join(problem.removeprefix("--set ") for problem in problems)


@contextmanager
def broker(
    settings: Mapping[str, object] | None = None,
    *,
    mode: str = "process",
    keep_data: bool = False,
    **more: object,
) -> Iterator[RunningBroker]:
    """A broker on a free port, gone with its data when the block ends, whatever ends it.

    mode: "process" (its own; the broker outlives neither the block nor this process, even if that is killed) or
    "thread" (of this process; starts faster, can be debugged, shares the interpreter's lock with the test).
    """
    if mode not in ("process", "thread"):
        raise ValueError(f'mode is "process" or "thread", not {mode!r}')
    folder = Path(tempfile.mkdtemp(prefix="penstock-test-"))
    running = _make(mode, folder, as_settings(settings, more), keep_data=keep_data)
    try:
        running.start()
        yield running
        running.stop()
    finally:
        try:
            if running.is_running:
                running.kill()
        finally:
            if not keep_data:
                shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def async_broker(
    settings: Mapping[str, object] | None = None,
    *,
    mode: str = "process",
    keep_data: bool = False,
    **more: object,
) -> AsyncIterator[RunningBroker]:
    """broker() for asyncio: starting and stopping do not hold up the event loop."""
    context = broker(settings, mode=mode, keep_data=keep_data, **more)
    running = await asyncio.to_thread(context.__enter__)
    try:
        yield running
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)


def _make(mode: str, folder: Path, settings: dict[str, str], *, keep_data: bool) -> RunningBroker:
    if mode == "process":
        from penstock.testing.process import ProcessBroker  # noqa: PLC0415 - thread mode imports the broker itself

        return ProcessBroker(folder, settings, orphan_removes=None if keep_data else folder)
    from penstock.testing.thread import ThreadBroker  # noqa: PLC0415

    return ThreadBroker(folder, settings)
