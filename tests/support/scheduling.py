"""A schedule partition on a real log, and what is due of a state."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.logs import StillClock
from tests.support.partitions import ME, SomePartitions

from penstock.delivery.relay.entries import Target
from penstock.delivery.schedules.log_reader import LogReader
from penstock.delivery.schedules.state import ScheduleState
from penstock.model import LeaderEpoch, TopicId
from penstock.replication import Partition
from penstock.settings.topic import PENSTOCK_SCHEDULE_DELAY_MS
from penstock.wire.records import Record, build_batch

ORDERS = Target("orders", TopicId(b"o" * 16), 0)


@contextmanager
def a_home_log(
    folder: Path, *, end: int, epoch: int = 7, topic: int = 1, delay_ms: int = -1, start: int = 0
) -> Iterator[tuple[Partition, StillClock, LogReader]]:
    """`end` records, of which the last thousand were written by the leader of an epoch."""
    config = {"penstock.schedule.target": "orders", "penstock.schedule.delay.ms": str(delay_ms)}
    with TemporaryDirectory(dir=folder) as place:
        partitions = SomePartitions(Path(place), settings=config)
        partition = partitions[0]
        partition.topic_id = TopicId(bytes([topic]) * 16)
        for count, led in ((end - 1_000, 3), (1_000, epoch)):
            partition.leadership.lead(epoch=LeaderEpoch(led), leader=ME, replicas=(ME,), in_sync=(ME,))
            batch = build_batch([Record(number, 0, b"k", b"v") for number in range(count)])
            partition.append(memoryview(batch), acks=1, is_opened=True)
        if start:
            partition.delete_records(start)
        try:
            yield partition, partitions.clock, LogReader(partition, lambda config: config[PENSTOCK_SCHEDULE_DELAY_MS])
        finally:
            partitions.pool.close_all()


def drained(state: ScheduleState, now: int) -> list[tuple[int, int]]:
    """All that is waiting and due by then, in its order."""
    while not state.machine.wheel.deal_out(now, 10_000):
        pass
    found = [*state.machine.wheel.take(now, 1 << 40), *state.stage.all(), *state.aside, *state.held]
    return sorted(due for due in found if state.machine.is_waiting(*due))
