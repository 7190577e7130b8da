"""The outbox over a real socket: bytes and slices of files, gathered or not, short sends, cold slices, ends."""

import asyncio
import os
import random
import socket
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support.bad_sectors import BadSectors
from tests.support.logs import a_log, fill

from penstock.broker.outbox import BYTES_COPIED_MAX, RUN_MAX, SLICE_COPIED_MAX, Outbox
from penstock.errors import CorruptMessage
from penstock.log import FilePool, FileSlice
from penstock.log.file_pool import PooledFile
from penstock.log.segments import slices
from penstock.transport import SocketChannel

KIB = 1024
DATA = random.Random(7).randbytes(2048 * KIB)
SMALL, LARGE = SLICE_COPIED_MAX, SLICE_COPIED_MAX + 1


class CountingChannel(SocketChannel):
    """The broker's side, which remembers what each send was asked for."""

    def __init__(self, sock: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(sock, loop)
        self.sends: list[tuple[int, int]] = []
        self.send = self._counted

    def _counted(self, data: Any, flags: int) -> int:
        self.sends.append((len(data), flags))
        return self._sock.send(data, flags)


class ColdSlice(FileSlice):
    """A slice whose pages come in only when the test lets the thread that warms it go on."""

    def __init__(self, file: PooledFile, position: int, size: int) -> None:
        super().__init__(file, position, size, first_offset=0, is_recent=False)
        self.gate = threading.Event()
        self.warmed_by: list[threading.Thread] = []
        self.fails = False

    def is_hot(self) -> bool:
        return bool(self.warmed_by)

    def warm(self) -> None:
        assert self.gate.wait(10)
        if self.fails:
            raise OSError("the disk is broken")
        self.warmed_by.append(threading.current_thread())
        super().warm()


class Bench:
    def __init__(self, folder: Path) -> None:
        path = folder / "00000000000000000000.log"
        path.write_bytes(DATA)
        self.pool = FilePool(4)
        self.file = PooledFile(self.pool, str(path))
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.theirs.setblocking(False)
        self.drained = 0
        self.broken: list[BaseException] = []
        self.loop = asyncio.get_running_loop()
        self.sock = CountingChannel(self.ours, self.loop)
        self.outbox = Outbox(
            self.sock,
            self.loop,
            on_drained=self._on_drained,
            on_broken=self._on_broken,
        )

    def _on_drained(self) -> None:
        self.drained += 1

    def _on_broken(self, error: BaseException) -> None:
        self.broken.append(error)
        self.outbox.close()

    def slice(self, position: int, size: int) -> FileSlice:
        return FileSlice(self.file, position, size, first_offset=0, is_recent=True)

    def cold(self, position: int, size: int) -> ColdSlice:
        return ColdSlice(self.file, position, size)

    async def receive(self, size: int) -> bytes:
        data = b""
        async with asyncio.timeout(60):
            while len(data) < size:
                data += await self.loop.sock_recv(self.theirs, size - len(data))
        return data

    async def until(self, condition: Callable[[], Any]) -> None:
        async with asyncio.timeout(60):
            while not condition():
                await asyncio.sleep(0.001)

    @property
    def flags(self) -> list[int]:
        return [flags for _size, flags in self.sock.sends]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.outbox.close()
    made.ours.close()
    made.theirs.close()
    assert made.file.pins == 0, "every slice lets its descriptor go"
    made.pool.close_all()


@pytest.fixture
def sendfiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes that went out by sendfile."""
    real, sizes = os.sendfile, []

    def counting(out: int, source: int, position: int, size: int) -> int:
        sizes.append(size)
        return real(out, source, position, size)

    monkeypatch.setattr(os, "sendfile", counting)
    return sizes


async def test_answers_to_one_receive_leave_in_one_send(bench: Bench) -> None:
    for number in range(400):
        bench.outbox.put([b"answer %03d;" % number])
    assert bench.outbox.size == 400 * 11
    bench.outbox.flush()
    assert bench.sock.sends == [(4400, 0)]
    assert await bench.receive(4400) == b"".join(b"answer %03d;" % number for number in range(400))
    assert bench.outbox.size == 0


async def test_a_chunk_that_its_maker_keeps_is_not_written_into(bench: Bench) -> None:
    mine = bytearray(b"mine")
    bench.outbox.put([mine])
    bench.outbox.put([b" and more"])
    bench.outbox.flush()
    assert await bench.receive(13) == b"mine and more"
    assert mine == b"mine"


async def test_large_bytes_are_not_copied_and_keep_their_place(bench: Bench) -> None:
    large = DATA[: BYTES_COPIED_MAX + 1]
    bench.outbox.put([b"before ", large, b" after"])
    bench.outbox.flush()
    assert await bench.receive(len(large) + 13) == b"before " + large + b" after"
    assert bench.flags == [socket.MSG_MORE, socket.MSG_MORE, 0]


async def test_small_slices_leave_with_the_bytes_around_them(bench: Bench, sendfiles: list[int]) -> None:
    bench.outbox.put([b"head", bench.slice(100, 1000), b"between", bench.slice(5000, SMALL), b"end"])
    assert bench.outbox.size == 4 + 1000 + 7 + SMALL + 3
    bench.outbox.flush()
    assert bench.sock.sends == [(4 + 1000 + 7 + SMALL + 3, 0)]
    expected = b"head" + DATA[100:1100] + b"between" + DATA[5000 : 5000 + SMALL] + b"end"
    assert await bench.receive(len(expected)) == expected
    assert (sendfiles, bench.file.pins, bench.outbox.size) == ([], 0, 0)


async def test_a_large_slice_goes_by_sendfile_with_its_header_in_the_same_packet(
    bench: Bench, sendfiles: list[int]
) -> None:
    bench.outbox.put([b"head", bench.slice(10, LARGE), b"end"])
    bench.outbox.flush()
    assert await bench.receive(4 + LARGE + 3) == b"head" + DATA[10 : 10 + LARGE] + b"end"
    assert (sendfiles[0], bench.sock.sends) == (LARGE, [(4, socket.MSG_MORE), (3, 0)])


async def test_a_slice_may_come_first(bench: Bench) -> None:
    bench.outbox.put([bench.slice(0, 50), bench.slice(50, LARGE)])
    bench.outbox.flush()
    assert await bench.receive(50 + LARGE) == DATA[: 50 + LARGE]


async def test_a_run_is_closed_when_it_is_long_enough(bench: Bench) -> None:
    count = 3 * RUN_MAX // SMALL
    bench.outbox.put([bench.slice(number * SMALL, SMALL) for number in range(count)])
    bench.outbox.flush()
    assert await bench.receive(count * SMALL) == DATA[: count * SMALL]
    assert max(size for size, _flags in bench.sock.sends) < RUN_MAX + SMALL


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_is_put_arrives_in_order_through_a_socket_that_is_full(bench: Bench, seed: int) -> None:
    dice = random.Random(seed)
    bench.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * KIB)
    expected = b""
    for _ in range(60):
        position, size = dice.randrange(1024 * KIB), dice.choice([1, 70, 5000, 20_000, SMALL, LARGE, 100_000])
        part = DATA[position : position + size]
        bench.outbox.put([bench.slice(position, size) if dice.random() < 0.5 else part])
        expected += part
        if dice.random() < 0.3:
            bench.outbox.flush()
    bench.outbox.flush()
    assert bench.outbox.size > 0
    assert await bench.receive(len(expected)) == expected
    await bench.until(lambda: bench.drained)
    assert (bench.outbox.size, bench.broken) == (0, [])


async def test_what_does_not_fit_waits_and_the_end_is_told(bench: Bench) -> None:
    bench.outbox.put([b"head", bench.slice(0, 2000 * KIB), b"end"])
    bench.outbox.flush()
    waiting = bench.outbox.size
    assert 0 < waiting < 2000 * KIB
    bench.outbox.flush()
    assert (bench.outbox.size, bench.drained) == (waiting, 0)
    assert await bench.receive(2000 * KIB + 7) == b"head" + DATA[: 2000 * KIB] + b"end"
    await bench.until(lambda: bench.drained == 1)


async def test_a_cold_slice_is_read_in_a_thread_while_what_follows_waits(bench: Bench) -> None:
    for size in (1000, LARGE):
        cold = bench.cold(0, size)
        bench.outbox.put([b"head", cold, b"end"])
        bench.outbox.flush()
        bench.outbox.put([b"next"])
        bench.outbox.flush()
        assert await bench.receive(4) == b"head"
        assert bench.outbox.size == size + 3 + 4
        cold.gate.set()
        assert await bench.receive(size + 7) == DATA[:size] + b"endnext"
        assert cold.warmed_by and cold.warmed_by[0] is not threading.main_thread()
    await bench.until(lambda: bench.drained == 2)


async def test_each_part_of_a_large_slice_is_asked_about_before_it_is_sent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, sendfiles: list[int]
) -> None:
    monkeypatch.setattr(slices, "PART_MAX", 64 * KIB)
    cold = bench.cold(0, 100 * KIB)
    monkeypatch.setattr(ColdSlice, "is_hot", lambda asked: asked.position < 64 * KIB or bool(asked.warmed_by))
    bench.outbox.put([cold])
    bench.outbox.flush()
    assert await bench.receive(64 * KIB) == DATA[: 64 * KIB]
    assert (bench.outbox.size, sendfiles) == (36 * KIB, [64 * KIB])
    cold.gate.set()
    assert await bench.receive(36 * KIB) == DATA[64 * KIB : 100 * KIB]


async def test_closing_lets_go_of_a_cold_slice_only_after_its_thread_is_done(bench: Bench) -> None:
    cold, other = bench.cold(0, 1000), bench.slice(0, 1000)
    bench.outbox.put([cold, other])
    bench.outbox.flush()
    bench.outbox.close()
    assert bench.file.pins == 2, "the thread still reads from the descriptor"
    cold.gate.set()
    await bench.until(lambda: bench.file.pins == 0)
    assert bench.broken == []


async def test_a_disk_that_fails_while_a_slice_is_warmed_breaks_the_connection(bench: Bench) -> None:
    cold = bench.cold(0, 1000)
    cold.fails = True
    cold.gate.set()
    bench.outbox.put([b"head", cold])
    bench.outbox.flush()
    await bench.until(lambda: bench.broken)
    assert "the disk is broken" in str(bench.broken[0])


@pytest.mark.parametrize("value_bytes", [50, 2000], ids=["copied", "sent by sendfile"])
@pytest.mark.parametrize("is_recent", [True, False])
async def test_a_log_hears_of_what_cannot_be_sent_before_the_connection_ends(
    bench: Bench, tmp_path: Path, value_bytes: int, is_recent: bool
) -> None:
    """One that asks again gets all that comes before it, and a refusal where it begins."""
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    fill(log, 100, value_bytes=value_bytes)
    log.rolling.roll()
    log.segments[0].hot_from = 0 if is_recent else log.segments[0].size
    with BadSectors(tmp_path / "bad") as bad, capture_logs() as said:
        bad.add(Path(log.segments[0].file.path), log.segments[0].size // 2)
        found = log.slice(0, at_most=1 << 20, before=100)
        assert found is not None and (found.size > SLICE_COPIED_MAX) == (value_bytes > 50)
        bench.outbox.put([b"head", found, b"never"])
        bench.outbox.flush()
        await bench.until(lambda: bench.broken)
    (known,) = log.damage.ranges[0]
    assert 0 < known.first_offset < known.next_offset <= 100
    assert log.damage.unsent == 1
    warning = next(line for line in said if line["event"] == "log could not be sent")
    assert (warning["log_level"], warning["partition"], warning["bad_batches"]) == ("warning", "orders-0", 1)
    before = log.slice(0, at_most=1 << 20, before=100)
    assert before is not None and before.size == known.position
    before.release()
    with pytest.raises(CorruptMessage):
        log.slice(known.first_offset, at_most=1, before=100)
    log.flushing.close()


async def test_a_slice_of_a_log_that_was_cut_meanwhile_is_no_damage(bench: Bench, tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 100, value_bytes=2000)
    found = log.slice(0, at_most=1 << 20, before=100)
    assert found is not None
    log.truncation.cut(to=50)
    bench.outbox.put([b"head", found])
    bench.outbox.flush()
    await bench.until(lambda: bench.broken)
    assert not log.damage and not log.damage.unsent
    log.flushing.close()


@pytest.mark.parametrize("size", [1000, LARGE])
async def test_a_file_that_ends_before_its_slice_breaks_the_connection(bench: Bench, size: int) -> None:
    bench.outbox.put([b"head", bench.slice(len(DATA) - 10, size), b"never"])
    bench.outbox.flush()
    await bench.until(lambda: bench.broken)
    assert "ends before" in str(bench.broken[0])


async def test_a_peer_that_is_gone_is_told_and_everything_is_let_go(bench: Bench) -> None:
    bench.outbox.put([bench.slice(0, 2000 * KIB), bench.slice(0, 10)])
    bench.outbox.flush()
    bench.theirs.close()
    await bench.until(lambda: bench.broken)
    assert isinstance(bench.broken[0], OSError)
    assert bench.outbox.size == 0
