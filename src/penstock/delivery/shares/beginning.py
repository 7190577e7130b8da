"""Where a share group begins on a partition that it has not read."""

import re
from typing import Final

from penstock.replication import Partition

_DURATION: Final = re.compile(
    r"by_duration:P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)
_MS: Final = {"days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1_000}


def duration_ms(reset: str) -> int | None:
    """Of `by_duration:PnDTnHnMn.nS`; None of anything else."""
    match = _DURATION.fullmatch(reset)
    if match is None:
        return None
    return int(sum(float(value) * _MS[unit] for unit, value in match.groupdict().items() if value))


async def first_offset(partition: Partition, reset: str, now_ms: int) -> int:
    """By the group's setting share.auto.offset.reset. Waits until this leader knows what is committed (RULES 18)."""
    if reset == "earliest":
        return partition.reader.earliest_offset()[0]
    if partition.high_watermark < partition.epoch_start:
        await partition.waiters.committed.wait_for(partition.epoch_start)
    ago = duration_ms(reset)
    found = None if ago is None else await partition.reader.find_by_time(now_ms - ago)
    if found is not None:
        return min(found.offset, partition.high_watermark)
    return partition.reader.latest_offset(committed_only=False)
