"""A partition's follower, as a machine: where to fetch, where to cut, what to take over from the leader.

Theory. A follower's log agrees with its leader's up to some offset; what comes after was written by an earlier leader
and was never committed. The fetch says which leader epoch wrote the follower's last record. Where the leader's log
tells another story it answers with the largest epoch they may share and where that ended, and the follower cuts back to
there, perhaps several times, until the two agree (KIP-101, KIP-595). Then it appends what it is sent, byte for byte.

What always holds: nothing is cut but what a leader of a later epoch contradicts; the high watermark never passes the
follower's own end, and falls only with a cut.
"""

from typing import Protocol

from penstock.model import BrokerId, LeaderEpoch
from penstock.replication.bugs import NO_BUGS, ReplicationBugs


class Epochs(Protocol):
    @property
    def latest(self) -> int: ...

    def end_offset_for(self, epoch: int) -> tuple[int, int]: ...


class FollowersLog(Protocol):
    """As much of a log as decides where a follower goes on."""

    @property
    def end_offset(self) -> int: ...

    @property
    def epochs(self) -> Epochs: ...


class Follower:
    __slots__ = ("_bugs", "epoch", "leader")

    def __init__(self, *, leader: BrokerId, epoch: LeaderEpoch, bugs: ReplicationBugs = NO_BUGS) -> None:
        self.leader = leader
        """-1 while nobody leads."""
        self.epoch = epoch
        self._bugs = bugs

    def cut_to(self, log: FollowersLog, *, diverging_epoch: int, end_offset: int) -> int:
        """Where to cut a log that the leader says diverges: its share of `diverging_epoch` ends at `end_offset`.

        Of what we have up to that epoch, no more than the leader has of it can be common. Where we have nothing of that
        very epoch, the next fetch tells of an earlier one, and so on down.
        """
        if self._bugs.skips_truncation:
            return log.end_offset
        own_epoch, own_end = log.epochs.end_offset_for(diverging_epoch)
        if own_epoch < 0:
            return min(end_offset, log.end_offset)
        return min(own_end, end_offset, log.end_offset)

    def high_watermark(self, *, own_end: int, known: int, leaders: int) -> int:
        """What the leader says, as far as we have it ourselves."""
        if self._bugs.trusts_leaders_high_watermark:
            return max(known, leaders)
        return max(known, min(leaders, own_end))


class Offline:
    """Neither leads nor follows: the replica is not here any more, or was not given a part yet."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason
