"""What a leader knows of one follower: how far it has fetched in this leader epoch, and when it was last up with it.

Plain ints in slots: the high watermark is a minimum over these, taken with each fetch of a follower.
"""

from typing import Final

from penstock.model import BrokerId

UNKNOWN: Final = -1


class Progress:
    __slots__ = ("broker_epoch", "broker_id", "caught_up_at", "end", "fetched_at", "leader_end", "log_start")

    def __init__(self, broker_id: BrokerId, now: int) -> None:
        self.broker_id = broker_id
        self.broker_epoch = UNKNOWN
        """The registration that its fetches came from (KIP-903)."""
        self.end = UNKNOWN
        """It has everything below, by a fetch of this leader epoch."""
        self.log_start = UNKNOWN
        self.caught_up_at = now
        """When it last had all that the leader had. A follower begins with a full replica.lag.time.max.ms."""
        self.fetched_at = now
        self.leader_end = UNKNOWN
        """The leader's end at its last fetch."""

    def clear(self, broker_epoch: int, now: int) -> None:
        """It registered again: nothing is known of the log that it came back with."""
        self.broker_epoch = broker_epoch
        self.end = self.log_start = self.leader_end = UNKNOWN
        self.caught_up_at = self.fetched_at = now

    def fetched(self, offset: int, *, log_start: int, leader_end: int, now: int) -> None:
        """It asks for `offset`, so it has all before. Kafka's reckoning: who has now what the leader had at the last
        fetch was caught up at that fetch, however fast producers are.
        """
        if offset >= leader_end:
            self.caught_up_at = now
        elif 0 <= self.leader_end <= offset:
            self.caught_up_at = max(self.caught_up_at, self.fetched_at)
        self.end = offset
        self.log_start = log_start
        self.leader_end = leader_end
        self.fetched_at = now

    def __repr__(self) -> str:
        return f"<follower {self.broker_id} at {self.end}, epoch {self.broker_epoch}>"
