"""What only the store on disk does: last, refuse, recover."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.support.clocks import ManualClock

from penstock.metastore import (
    Compacted,
    Put,
    Revision,
    Transaction,
    Unavailable,
    absent,
)
from penstock.metastore.embedded import FILE_NAME, EmbeddedMetastore, SchemaTooNew
from penstock.metastore.sqlite import NoRoom


async def test_what_was_committed_is_there_after_a_restart_with_its_revisions(tmp_path: Path) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.commit(Transaction(puts=(Put("/a", b"1"), Put("/gone", b""))))
    await store.commit(Transaction(puts=(Put("/a", b"2"),)))
    before = await store.range("/")
    await store.close()
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    assert await store.range("/") == before
    assert await store.commit(Transaction(puts=(Put("/b", b""),))) == 3
    await store.close()


async def test_a_watch_from_before_the_restart_must_list_anew(tmp_path: Path) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.commit(Transaction(puts=(Put("/a", b""),)))
    await store.close()
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    with pytest.raises(Compacted):
        await anext(store.watch("/", Revision(1)))
    await store.close()


async def test_leases_outlive_a_restart_and_get_their_full_time_again(tmp_path: Path) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    lease = await store.grant(60_000)
    await store.commit(Transaction(puts=(Put("/a", b"", lease),)))
    await store.close()
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.keep_alive(lease)
    assert await store.grant(60_000) > lease
    await store.revoke(lease)
    assert await store.get("/a") is None
    await store.close()


async def test_a_lease_runs_out_by_itself(tmp_path: Path) -> None:
    clock = ManualClock()
    store = await EmbeddedMetastore.open(tmp_path, clock)
    lease = await store.grant(1)
    await store.commit(Transaction(puts=(Put("/a", b"", lease),)))
    clock.advance(by_ms=1)
    async with asyncio.timeout(60):
        while await store.get("/a") is not None:
            await asyncio.sleep(0.001)
    await store.close()


async def test_a_newer_schema_is_refused_in_words(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("PRAGMA user_version=7")
    connection.close()
    with pytest.raises(SchemaTooNew, match="schema version 7, this Penstock knows up to 1"):
        await EmbeddedMetastore.open(tmp_path, ManualClock())


async def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database at all" * 100)
    with pytest.raises(Unavailable, match="file is not a database"):
        await EmbeddedMetastore.open(tmp_path, ManualClock())


async def test_a_second_process_on_the_same_folder_is_refused_in_words(tmp_path: Path) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.commit(Transaction(puts=(Put("/a", b""),)))
    with pytest.raises(Unavailable, match="in use by another process"):
        await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.close()


async def test_a_closed_store_refuses_writes(tmp_path: Path) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.close()
    with pytest.raises(Unavailable):
        await store.commit(Transaction(puts=(Put("/a", b""),)))


async def test_a_failed_write_answers_unavailable_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    await store.commit(Transaction(puts=(Put("/a", b"1"),)))

    def disk_full(*_: object, **__: object) -> None:
        raise Unavailable("database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(store._database, "write", disk_full)
        with pytest.raises(Unavailable):
            await store.commit(Transaction(puts=(Put("/a", b"2"),)))
    item = await store.get("/a")
    assert item is not None and item.value == b"1"
    assert await store.commit(Transaction(compares=(absent("/b"),), puts=(Put("/b", b""),))) == 2
    await store.close()


async def test_a_write_without_room_is_tried_again_once_room_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_room: list[bool] = [True, False]
    store = await EmbeddedMetastore.open(tmp_path, ManualClock(), make_room=lambda: made_room.pop(0))
    write, fails = store._database.write, [True, False, True]

    def sometimes_full(*given: Any, **named: Any) -> None:
        if fails.pop(0):
            raise NoRoom("database or disk is full")
        write(*given, **named)

    monkeypatch.setattr(store._database, "write", sometimes_full)
    await store.commit(Transaction(puts=(Put("/a", b"1"),)))
    with pytest.raises(NoRoom):
        await store.commit(Transaction(puts=(Put("/a", b"2"),)))
    item = await store.get("/a")
    assert item is not None and item.value == b"1"
    await store.close()


_WRITER = """
    import asyncio, sys
    from pathlib import Path
    from penstock.metastore import Put, Transaction
    from penstock.metastore.embedded import EmbeddedMetastore
    from tests.support.clocks import ManualClock

    async def main():
        store = await EmbeddedMetastore.open(Path(sys.argv[1]), ManualClock())
        number = 0
        while True:
            number += 1
            pair = (Put("/a", b"%d" % number), Put("/b", b"%d" % number))
            print(await store.commit(Transaction(puts=pair)), flush=True)

    asyncio.run(main())
"""


async def test_a_write_that_fails_in_an_unheard_of_way_is_answered_and_leaves_nobody_hanging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    with monkeypatch.context() as broken:
        broken.setattr(store._database, "write", lambda *_args, **_more: 1 / 0)
        async with asyncio.timeout(60):
            with pytest.raises(Unavailable, match="ZeroDivisionError"):
                await store.commit(Transaction(puts=(Put("/a", b"1"),)))
            with pytest.raises(Unavailable, match="ZeroDivisionError"):
                await store.get("/a")
    await store.close()


async def test_after_kill_9_every_answered_commit_is_there_and_none_is_half(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert process.stdout is not None
    with process.stdout:
        for _ in range(20):
            answered = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        answered = max([answered, *(int(line) for line in process.stdout.read().split(b"\n")[:-1])])
    store = await EmbeddedMetastore.open(tmp_path, ManualClock())
    a, b = await store.get("/a"), await store.get("/b")
    assert a is not None and b is not None
    assert a.value == b.value
    assert answered <= int(a.value) <= answered + 1
    await store.close()
