"""What idempotence adds to an append: python -m benchmarks.micro_idempotence

The same batches through a real dispatcher and a real log, from a producer without an id and from one with id, epoch and
sequence numbers, in turns. Every request is a frame of its own, made beforehand, as a sequence number is used once.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from struct import Struct

import crc32c

from benchmarks.cpu_cost import Cost, cost_of_each_us, show, yielding
from benchmarks.micro_dispatch import Harness, Produce, harness

ADDED_MAX_PERCENT = 5.0
ROUNDS = 15
_FRAMES_BYTES_MAX = 16_000_000
_FRAMES_MAX = 3_000
_FIRST_SEQUENCE = 1_000
"""Past the small numbers that Python keeps ready, as nearly all are."""
_U32, _I32 = Struct(">I"), Struct(">i")
_CRC_AT, _CRC_FROM, _SEQUENCE_AT = 17, 21, 53
"""In a batch: where its checksum is, from where on it is of, and where the first sequence number is."""
SIZES = {"100": (1, 100, "one record of 100 B"), "16k": (16, 1000, "16 KB"), "1m": (960, 1024, "1 MB")}


class Frames:
    """Requests of one producer after another; `producer_id` -1 is one that has none."""

    def __init__(self, records: int, record_bytes: int) -> None:
        self._records = records
        self._bytes = record_bytes
        size = len(Produce(records, record_bytes)())
        self.count = min(_FRAMES_MAX, _FRAMES_BYTES_MAX // size)

    def of(self, producer_id: int) -> list[memoryview]:
        sequence = -1 if producer_id < 0 else _FIRST_SEQUENCE
        request = Produce(self._records, self._bytes, producer_id=producer_id, base_sequence=sequence)
        step = 0 if producer_id < 0 else self._records
        return [self._numbered(request, sequence + number * step) for number in range(self.count)]

    def _numbered(self, request: Produce, sequence: int) -> memoryview:
        """A copy of the request with another first sequence number, and the checksum that belongs to it."""
        made = memoryview(bytearray(request()))
        batch = made[request.batch_at :][: request.batch_bytes]
        _I32.pack_into(batch, _SEQUENCE_AT, sequence)
        _U32.pack_into(batch, _CRC_AT, crc32c.crc32c(batch[_CRC_FROM:]))
        return made


def compare(broker: Harness, records: int, record_bytes: int, producer_ids: Sequence[int]) -> tuple[float, float]:
    """Microseconds of an append, plain and idempotent."""
    frames, ids = Frames(records, record_bytes), iter(producer_ids)

    def plain() -> float:
        return cost_of_each_us(broker.handle, frames.of(-1))

    def idempotent() -> float:
        *requests, last = frames.of(next(ids))
        cost = cost_of_each_us(broker.handle, requests)
        Produce.check(broker.handle(last))  # its sequence number fits only if all before it were taken
        return cost

    best = yielding([plain, idempotent], ROUNDS)
    return best[0], best[1]


async def costs(folder: Path) -> list[Cost]:
    found, first_id = [], 1_000
    async with harness(folder) as broker:
        for key, (records, record_bytes, title) in SIZES.items():
            ids = range(first_id, first_id := first_id + ROUNDS)
            plain, idempotent = compare(broker, records, record_bytes, ids)
            found.append(Cost(f"plain.{key}", f"append of {title}, plain producer", plain))
            found.append(Cost(f"idempotent.{key}", "the same, idempotent producer", idempotent))
    return found


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        show("CPU time of an append", asyncio.run(costs(Path(folder))))


if __name__ == "__main__":
    main()
