"""What one append and one lookup cost, beside the bare system calls: python benchmarks/micro_log.py

Prints microseconds; asserts nothing.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.logs import a_batch, a_log

from penstock.wire.batch import BASE_OFFSET, BatchHeader

ROUNDS = 20_000


def microseconds(what: str, action: Callable[[int], object], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        for number in range(rounds):
            action(number)
        best = min(best, (time.perf_counter() - began) / rounds * 1e6)
    print(f"{what:<58} {best:8.2f} µs")
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for value_bytes in (100, 1000, 16_000):
            run(Path(folder) / f"orders-{value_bytes}", value_bytes)


def run(folder: Path, value_bytes: int) -> None:
    print(f"--- a batch of one record, {value_bytes} bytes ---")
    log = a_log(folder, settings={"segment.bytes": str(1 << 30)})
    _, view = a_batch(0, value_bytes=value_bytes)
    buffer = bytearray(view)
    writable = memoryview(buffer)

    def append(_: int) -> None:
        BASE_OFFSET.pack_into(buffer, 0, log.end_offset)
        log.append([(BatchHeader.peek(buffer), writable)])

    def peek_only(_: int) -> None:
        BASE_OFFSET.pack_into(buffer, 0, log.end_offset)
        BatchHeader.peek(buffer)

    appended = microseconds("append, header peeked and patched", append)
    header = microseconds("  of which peeking and patching", peek_only)
    fd = os.open(folder / "bare", os.O_RDWR | os.O_CREAT)
    written = [0]

    def write_only(_: int) -> None:
        written[0] += os.pwritev(fd, [writable], written[0])

    bare = microseconds("  of which the bare pwritev", write_only)
    os.close(fd)
    print(f"{'  our own share':<58} {appended - header - bare:8.2f} µs")

    end = log.end_offset

    def tail(_: int) -> None:
        found = log.slice(end - 1, at_most=1 << 20, before=end)
        assert found is not None
        found.release()

    def older(number: int) -> None:
        found = log.slice(number * 7 % (end - 5000), at_most=1 << 20, before=end)
        assert found is not None
        found.release()

    microseconds("slice at the tail", tail)
    microseconds("slice anywhere, by index and walk", older)
    log.close()


if __name__ == "__main__":
    main()
