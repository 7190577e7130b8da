"""When a broker looks for garbage, who may take objects out of the collector's rounds, and who may not."""

import asyncio
import gc
from pathlib import Path

import pytest

from penstock.admin import memory, program
from penstock.admin.addresses import ADDRESSES_FILE
from penstock.settings import Config


def test_what_is_there_is_no_longer_walked() -> None:
    before = gc.get_freeze_count()  # Python 3.12 sets some hundred objects aside itself
    thresholds = gc.get_threshold()
    try:
        memory.freeze_memory()
        assert gc.get_freeze_count() > before + 1000
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@pytest.mark.parametrize(
    ("rounds", "cpu_share", "waited_s", "is_due"),
    [
        pytest.param(1, 0.0, 1e6, False, id="next to nothing to find"),
        pytest.param(2, 0.05, 5.0, True, id="nobody waits"),
        pytest.param(20, 0.5, 5.0, False, id="somebody would wait"),
        pytest.param(20, 0.5, 300.0, True, id="long ago"),
        pytest.param(100, 1.0, 5.0, True, id="much to find"),
    ],
)
def test_everything_is_looked_through_when_nobody_waits_or_when_it_must_be(
    rounds: int, cpu_share: float, waited_s: float, is_due: bool
) -> None:
    assert memory.is_due(rounds, cpu_share=cpu_share, waited_s=waited_s) is is_due


async def test_a_quiet_broker_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = asyncio.Event()
    monkeypatch.setattr(memory, "LOOK_S", 0.01)
    monkeypatch.setattr(memory, "QUIET_CPU_SHARE", 100.0)
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, memory.DUE_AFTER))
    monkeypatch.setattr(gc, "collect", looked.set)
    keeping = asyncio.create_task(memory.keep_memory())
    await asyncio.wait_for(looked.wait(), 60)
    keeping.cancel()
    await asyncio.wait([keeping])


async def test_a_broker_inside_somebody_elses_process_leaves_the_collector_alone(tmp_path: Path) -> None:
    static = {"log.dirs": str(tmp_path), "listeners": "PLAINTEXT://127.0.0.1:0", "penstock.http.listener": ""}
    before = gc.get_freeze_count()
    running = asyncio.create_task(program.run(Config.for_broker(static)))
    async with asyncio.timeout(60):
        while not (tmp_path / ADDRESSES_FILE).exists():
            await asyncio.sleep(0.01)
    assert gc.get_freeze_count() == before
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def test_a_start_that_turned_the_collector_off_gets_it_back() -> None:
    thresholds = gc.get_threshold()
    gc.disable()
    try:
        memory.freeze_memory()
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.set_threshold(*thresholds)
        gc.unfreeze()
