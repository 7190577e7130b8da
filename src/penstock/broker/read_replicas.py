"""Which replica a consumer should read from (KIP-392): one in its own rack, where there is one that has the records.

Asked at the leader, with replica.selector.class set and a consumer that says where it is. The consumer then fetches
from that replica, up to the high watermark as the replica knows it, and comes back to the leader when something is
wrong.
"""

from typing import Final

from penstock.cluster import ClusterImage
from penstock.model import BrokerId
from penstock.replication import Partition
from penstock.settings import Config
from penstock.settings.broker import REPLICA_SELECTOR_CLASS
from penstock.settings.broker_replication import RACK_AWARE_SELECTOR

READ_HERE: Final = -1


class RackAwareChoice:
    def __init__(self, image: ClusterImage, rack: str) -> None:
        self._image = image
        self._rack = rack

    def preferred(self, partition: Partition, offset: int) -> int:
        """A broker of the consumer's rack that has what is at `offset`, the one furthest ahead; READ_HERE where the
        leader itself is there, or nobody is, or this broker does not lead.
        """
        if not partition.is_leader or self._rack_of(partition.leader) == self._rack:
            return READ_HERE
        there = [
            (follower.end, follower.caught_up_at, -broker_id)
            for broker_id, follower in partition.followers.in_sync_progress()
            if follower.log_start <= offset <= follower.end and self._rack_of(broker_id) == self._rack
        ]
        return -max(there)[2] if there else READ_HERE

    def _rack_of(self, broker_id: BrokerId) -> str | None:
        broker = self._image.brokers.get(broker_id)
        return None if broker is None else broker.rack


def choice_for(rack: str, image: ClusterImage, config: Config) -> RackAwareChoice | None:
    """None where everybody reads from the leader."""
    if not rack or config[REPLICA_SELECTOR_CLASS] != RACK_AWARE_SELECTOR:
        return None
    return RackAwareChoice(image, rack)
