"""A snapshot stands for the log that it was made from, and anything else is no snapshot."""

import asyncio
import random
from pathlib import Path

import pytest
from tests.support.scheduling import ORDERS, a_home_log, drained

from penstock.delivery.relay.entries import Intent
from penstock.delivery.schedules.plan import Plan, digest
from penstock.delivery.schedules.refs import Ref, encode
from penstock.delivery.schedules.snapshot_files import NAME, SnapshotFile
from penstock.delivery.schedules.state import ScheduleState

NOW = 1_790_000_000_000
YEAR_MS = 365 * 86_400_000


def a_state(seed: int, records: int = 3_000) -> ScheduleState:
    """Some wait, some were fired, some cancelled; two intents are open, of which one is done."""
    chance = random.Random(seed)
    state = ScheduleState(0, NOW)
    for offset in range(records):
        name = digest(b"k", b"%d" % offset) if not offset % 10 else None
        state.machine.scheduled(offset, Plan(NOW + chance.randrange(YEAR_MS), name))
    state.machine.cancel(records, digest(b"k", b"30"))
    for number, offsets in enumerate(([1, 0], [2, 7])):
        refs = encode([Ref(offset) for offset in offsets])
        entry = Intent(ORDERS, 1000, 0, 2 * number, number, 2, refs, done_through=number - 1, from_offset=5)
        state.apply(entry, records + 2 + number)
    state.machine.wheel.deal_out(NOW + YEAR_MS // 50, 100_000)
    state.stage.add(state.machine.wheel.take(NOW + YEAR_MS // 100, 10))
    state.aside.extend(state.machine.wheel.take(NOW + YEAR_MS // 80, 3))
    return state


async def written(files: SnapshotFile, state: ScheduleState) -> None:
    await files.write(state, 3_001)
    await files.finish()


@pytest.mark.parametrize("seed", range(3))
def test_what_a_snapshot_says_is_what_waited(tmp_path: Path, seed: int) -> None:
    with a_home_log(tmp_path, end=4_000) as (partition, clock, reader):
        files, state = SnapshotFile(tmp_path, partition, clock), a_state(seed)
        asyncio.run(written(files, state))
        restored = asyncio.run(SnapshotFile(tmp_path, partition, clock).load(reader))
    assert restored is not None
    assert (restored.records_to, restored.notes_to) == (3_001, 3_003)
    found = restored.state
    assert found.machine.waiting == state.machine.waiting
    assert list(found.relay.open_refs()) == list(state.relay.open_refs())
    assert found.machine.floor() == state.machine.floor() == 2
    found.machine.cancel(3_001, digest(b"k", b"40"))
    state.machine.cancel(3_001, digest(b"k", b"40"))
    assert found.machine.cancelled == 1
    assert drained(found, NOW + 2 * YEAR_MS) == drained(state, NOW + 2 * YEAR_MS)


def a_file(tmp_path: Path) -> Path:
    with a_home_log(tmp_path, end=4_000) as (partition, clock, _):
        asyncio.run(written(SnapshotFile(tmp_path, partition, clock), a_state(1)))
    return tmp_path / NAME


def is_loaded(tmp_path: Path, **of_log: int) -> bool:
    with a_home_log(tmp_path, **{"end": 4_000, **of_log}) as (partition, clock, reader):
        return asyncio.run(SnapshotFile(tmp_path, partition, clock).load(reader)) is not None


def test_a_torn_or_altered_file_is_none(tmp_path: Path) -> None:
    file = a_file(tmp_path)
    whole = file.read_bytes()
    assert is_loaded(tmp_path)
    for cut in (0, 10, 30, 500, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:cut])
        assert not is_loaded(tmp_path), f"cut at {cut}"
    for at in (5, 22, 60, len(whole) // 3, len(whole) - 2):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert not is_loaded(tmp_path), f"altered at {at}"
    file.unlink()
    assert not is_loaded(tmp_path)


@pytest.mark.parametrize(
    "of_log",
    [
        {"end": 3_002},  # the tail was lost
        {"epoch": 8},  # and written anew by another leader
        {"topic": 2},
        {"delay_ms": 5},
        {"start": 3_002},
    ],
)
def test_a_file_of_another_log_is_none(tmp_path: Path, of_log: dict[str, int]) -> None:
    a_file(tmp_path)
    assert not is_loaded(tmp_path, **of_log)
