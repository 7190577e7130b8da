"""A partition's leader as a machine, with its followers' fetches as one-line calls."""

from penstock.cluster import PartitionImage
from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from penstock.replication.machine import Leader, Proposal

ME = 1
LAG_MS = 30_000


def a_state(
    *,
    leader: int = ME,
    epoch: int = 5,
    replicas: tuple[int, ...] = (1, 2, 3),
    in_sync: tuple[int, ...] = (1, 2, 3),
    eligible: tuple[int, ...] = (),
    revision: int = 100,
) -> PartitionImage:
    def brokers(ids: tuple[int, ...]) -> tuple[BrokerId, ...]:
        return tuple(map(BrokerId, ids))

    return PartitionImage(
        index=PartitionIndex(0),
        leader=BrokerId(leader),
        leader_epoch=LeaderEpoch(epoch),
        replicas=brokers(replicas),
        in_sync=brokers(in_sync),
        eligible=brokers(eligible),
        adding=(),
        removing=(),
        revision=Revision(revision),
    )


class LeaderBench:
    """Broker 1 leads epoch 5; broker n is registered with broker epoch 10 * n."""

    def __init__(
        self,
        *,
        end: int = 50,
        high_watermark: int = 50,
        in_sync_min: int = 1,
        replicas: tuple[int, ...] = (1, 2, 3),
        in_sync: tuple[int, ...] = (1, 2, 3),
        eligible: tuple[int, ...] = (),
        bugs: ReplicationBugs = NO_BUGS,
        epoch: int = 5,
    ) -> None:
        self.brokers = {BrokerId(broker): 10 * broker for broker in replicas}
        self.now = 1_000_000
        self.log_end = end
        self.machine = Leader(
            a_state(replicas=replicas, in_sync=in_sync, eligible=eligible, epoch=epoch),
            me=BrokerId(ME),
            start=0,
            end=end,
            epoch_start=end,
            high_watermark=high_watermark,
            in_sync_min=in_sync_min,
            brokers=self.brokers,
            now=self.now,
            bugs=bugs,
        )

    @property
    def high_watermark(self) -> int:
        return self.machine.high_watermark

    def append(self, records: int) -> None:
        self.log_end += records
        self.machine.appended(self.log_end)

    def fetch(
        self, broker: int, offset: int, *, broker_epoch: int | None = None, log_start: int = 0
    ) -> Proposal | None:
        return self.machine.fetched(
            BrokerId(broker),
            offset,
            broker_epoch=10 * broker if broker_epoch is None else broker_epoch,
            log_start=log_start,
            leader_end=self.log_end,
            now=self.now,
        )

    def tick(self, after_ms: int = 0) -> Proposal | None:
        self.now += after_ms
        return self.machine.tick(self.now, lag_ms_max=LAG_MS, log_end=self.log_end)

    def register(self, broker: int, broker_epoch: int) -> Proposal | None:
        self.brokers[BrokerId(broker)] = broker_epoch
        return self.machine.registered(BrokerId(broker), broker_epoch, self.now)

    def written(self, proposal: Proposal, revision: int = 101) -> Proposal | None:
        return self.machine.written(proposal, revision, self.now)
