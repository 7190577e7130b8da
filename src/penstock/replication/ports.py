"""What replication asks of the cluster: writes of in-sync sets, and somebody else to lead. The node gives both."""

from collections.abc import Mapping
from typing import Protocol

from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch, TopicId


class InSyncWrites(Protocol):
    async def write(
        self,
        topic_id: TopicId,
        index: int,
        *,
        expected_revision: Revision,
        in_sync: tuple[BrokerId, ...],
        eligible: tuple[BrokerId, ...],
        joining: Mapping[BrokerId, Revision],
        again: bool = False,
    ) -> Revision:
        """Change these two fields of a partition's record, in one transaction that compares its mod revision and the
        create revision of each joining broker's registration (RULES 1).

        Conflict: a compare failed, nothing was written by this call. Unavailable: whether it was is unknown (RULES 6);
        the same write may be sent `again`, and is made once at most. Then only the store's own word counts: it is asked
        whatever the image says of the joining brokers.
        """
        ...

    async def catch_up(self) -> None:
        """Return when this broker's image holds all that the store holds now; Unavailable if nobody knows."""
        ...


class Resignations(Protocol):
    async def resign(
        self, topic_id: TopicId, index: int, *, leader_epoch: LeaderEpoch, reason: str, eligible_below: int = 0
    ) -> None:
        """This broker cannot lead the partition any more (RULES 22): have another in-sync replica elected, or one that
        is eligible, and this one taken out of the in-sync set; it is eligible itself where fewer than `eligible_below`
        stay in sync. Returns when that is asked for; the election shows in the image."""
        ...

    async def leave(self, topic_id: TopicId, index: int, *, reason: str, eligible_below: int = 0) -> None:
        """This broker follows the partition and has lost what it had of it, or can keep no more: take it out of the
        in-sync set and of the eligible set (RULES 21), but for where it has what it had, and fewer than
        `eligible_below` stay in sync. Nothing happens where nobody else is in sync."""
        ...

    async def begin_anew(self, topic_id: TopicId, index: int, *, leader_epoch: LeaderEpoch) -> None:
        """This broker follows the partition and is about to fetch all of it anew: what it had fetched up to this leader
        epoch is to count no more, not even a fetch that is still on its way. Returns when the image has a later one, or
        another leads, or there is no such partition; Unavailable if nobody knows.
        """
        ...

    async def has_nothing(self, topic_id: TopicId, index: int) -> None:
        """This broker's log of a partition that nobody leads is empty: nobody need wait for what it might have
        (RULES 46). Nothing happens where somebody leads, or can."""
        ...
