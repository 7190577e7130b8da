"""Who may take objects out of the garbage collector's rounds, and who may not."""

import asyncio
import gc
from pathlib import Path

from penstock.admin import program
from penstock.settings import Config


def test_what_is_there_is_no_longer_walked() -> None:
    before = gc.get_freeze_count()  # Python 3.12 sets some hundred objects aside itself
    try:
        program.freeze_memory()
        assert gc.get_freeze_count() > before + 1000
    finally:
        gc.unfreeze()


async def test_a_broker_inside_somebody_elses_process_leaves_the_collector_alone(tmp_path: Path) -> None:
    static = {"log.dirs": str(tmp_path), "listeners": "PLAINTEXT://127.0.0.1:0", "penstock.http.listener": ""}
    before = gc.get_freeze_count()
    running = asyncio.create_task(program.run(Config.for_broker(static)))
    async with asyncio.timeout(30):
        while not (tmp_path / program.ADDRESSES_FILE).exists():
            await asyncio.sleep(0.01)
    assert gc.get_freeze_count() == before
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
