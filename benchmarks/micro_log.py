"""What one append and one lookup cost, beside the bare system call: python -m benchmarks.micro_log

Prints microseconds of CPU time; asserts nothing.
"""

import os
import tempfile
from itertools import count
from pathlib import Path

from tests.support.logs import a_batch, a_log

from benchmarks.cpu_cost import Cost, cost_us, show
from penstock.wire.batch import BASE_OFFSET, BatchHeader

VALUE_BYTES = (100, 1_000, 16_000)
_CALLS_MAX = 4_096
"""Of one repeat: what is appended stays on the disk until the end."""


def costs(folder: Path) -> list[Cost]:
    return [cost for value_bytes in VALUE_BYTES for cost in _costs(folder / f"orders-{value_bytes}", value_bytes)]


def _costs(folder: Path, value_bytes: int) -> list[Cost]:
    log = a_log(folder, settings={"segment.bytes": str(1 << 30)})
    _, view = a_batch(0, value_bytes=value_bytes)
    buffer = bytearray(view)
    writable = memoryview(buffer)

    def append() -> None:
        BASE_OFFSET.pack_into(buffer, 0, log.end_offset)
        log.append([(BatchHeader.peek(buffer), writable)])

    def peek_only() -> None:
        BASE_OFFSET.pack_into(buffer, 0, log.end_offset)
        BatchHeader.peek(buffer)

    fd = os.open(folder / "bare", os.O_RDWR | os.O_CREAT)
    written = [0]

    def write_only() -> None:
        written[0] += os.pwritev(fd, [writable], written[0])

    try:
        found = [
            Cost(f"append.{value_bytes}", f"append of {value_bytes:,} B", cost_us(append, _CALLS_MAX)),
            Cost(f"append.{value_bytes}.peek", "  of which peeking and patching the header", cost_us(peek_only)),
            Cost(f"append.{value_bytes}.pwritev", "  of which the bare pwritev", cost_us(write_only, _CALLS_MAX)),
        ]
    finally:
        os.close(fd)
    end, numbers = log.end_offset, count()

    def tail() -> None:
        found = log.slice(end - 1, at_most=1 << 20, before=end)
        assert found is not None
        found.release()

    def older() -> None:
        found = log.slice(next(numbers) * 7 % (end - 5000), at_most=1 << 20, before=end)
        assert found is not None
        found.release()

    found += [
        Cost(f"slice.{value_bytes}.tail", "slice at the tail", cost_us(tail)),
        Cost(f"slice.{value_bytes}.older", "slice anywhere, by index and walk", cost_us(older)),
    ]
    log.flushing.close()
    return found


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        show("CPU time of a log's steps", costs(Path(folder)))


if __name__ == "__main__":
    main()
