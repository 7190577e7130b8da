"""A partition that this broker follows: what its fetcher knows of it, in one leader epoch."""

import asyncio

from penstock.model import BrokerId
from penstock.replication.following import Follower
from penstock.replication.partition import Partition

NOT_ASKED = 0

Key = tuple[bytes, int]


class FollowedPartition:
    """A followed partition, in one leader epoch."""

    __slots__ = ("asked_in", "backoff_s", "epoch", "is_agreed", "is_busy", "key", "lag", "partition", "retry")

    def __init__(self, key: Key, partition: Partition) -> None:
        self.key = key
        self.partition = partition
        self.epoch = partition.leader_epoch
        self.asked_in = NOT_ASKED
        """The request of this session that named it first."""
        self.is_agreed = False
        """The leader has answered that what is here is its own, up to where it was asked."""
        self.is_busy = False
        self.lag = 0
        self.backoff_s = 0.0
        self.retry: asyncio.TimerHandle | None = None

    def is_answered_by(self, number: int) -> bool:
        """Whether the answer to this request tells of it as it is: it was named in this session by then."""
        return NOT_ASKED < self.asked_in <= number

    def is_current(self, leader: BrokerId) -> bool:
        role = self.partition.role
        return isinstance(role, Follower) and role.epoch == self.epoch and role.leader == leader
