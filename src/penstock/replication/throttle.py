"""Bytes a second for replicas that catch up, so that a move of partitions leaves room for clients (RULES 41).

What the reassignment tool writes: a topic's list of throttled replicas, by partition and broker, and a broker's rate,
for what it sends as leader and for what it fetches as follower. Replicas that are in sync are never held back: acks=all
waits for them.
"""

from typing import Final

from penstock.model import BrokerId, Clock
from penstock.replication.partition import Partition
from penstock.settings import Config, Setting
from penstock.settings.broker import FOLLOWER_REPLICATION_THROTTLED_RATE, LEADER_REPLICATION_THROTTLED_RATE
from penstock.settings.topic import FOLLOWER_REPLICATION_THROTTLED_REPLICAS, LEADER_REPLICATION_THROTTLED_REPLICAS
from penstock.settings.types import LONG_MAX

PAUSE_S: Final = 0.1
"""How long whoever is held back waits before it looks again."""


class Throttle:
    """A second's worth may be used at once; what is used beyond it is waited for."""

    def __init__(
        self, rate: Setting[int], replicas: Setting[tuple[str, ...]], *, me: BrokerId, config: Config, clock: Clock
    ) -> None:
        self._rate = rate
        self._replicas = replicas
        self._me = me
        self._config = config
        self._clock = clock
        self._left = 0.0
        self._filled_at = clock.monotonic() - 1.0

    @classmethod
    def of_leader(cls, me: BrokerId, config: Config, clock: Clock) -> "Throttle":
        return cls(
            LEADER_REPLICATION_THROTTLED_RATE,
            LEADER_REPLICATION_THROTTLED_REPLICAS,
            me=me,
            config=config,
            clock=clock,
        )

    @classmethod
    def of_follower(cls, me: BrokerId, config: Config, clock: Clock) -> "Throttle":
        return cls(
            FOLLOWER_REPLICATION_THROTTLED_RATE,
            FOLLOWER_REPLICATION_THROTTLED_REPLICAS,
            me=me,
            config=config,
            clock=clock,
        )

    def concerns(self, replica: Partition, follower: BrokerId) -> bool:
        """Whether a follower's copy of this partition is to be held back here."""
        if follower in replica.in_sync or self._config[self._rate] == LONG_MAX:
            return False
        listed = replica.config[self._replicas]
        return listed == ("*",) or f"{replica.index}:{self._me}" in listed

    def is_used_up(self) -> bool:
        rate, now = self._config[self._rate], self._clock.monotonic()
        self._left = min(self._left + (now - self._filled_at) * rate, rate)
        self._filled_at = now
        return self._left <= 0

    def use(self, size: int) -> None:
        self._left -= size
