"""What a share group's settings say, as its partitions go by it."""

from collections.abc import Mapping
from typing import Final

import msgspec

from penstock.delivery.shares.archiving import Reason, archiving
from penstock.delivery.shares.backoff import Backoff
from penstock.delivery.shares.ranges import ARCHIVED

NO_LANES: Final[Mapping[str, int]] = {}


class ShareRules(msgspec.Struct, frozen=True, kw_only=True):
    lock_ms: int = 30_000
    delivery_limit: int = 5
    """A record is given up when it comes back after so many deliveries."""
    locks_max: int = 2_000
    """Offsets from the first record that is not done to the last that was given out."""
    committed_only: bool = False
    may_renew: bool = True
    reset: str = "latest"
    """Where a group begins: earliest, latest, or by_duration: and how long before now."""
    backoff: Backoff | None = None
    by_key: bool = False
    """Whether of the records with one key only the first that is not done may be given out."""
    window_max: int = 100_000
    """Offsets of the window where records may be held back: there `locks_max` bounds what members have."""
    lanes: Mapping[str, int] = NO_LANES
    """Priorities of topics."""
    is_wide: bool = False
    """Whether records may be held back, so that the window has to be longer than what members have. Follows from the
    others; asked for at every turn.
    """

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "is_wide", self.by_key or self.backoff is not None)

    dead_letter_topic: str = ""
    """Where records go that are given up; empty: nowhere."""
    copies_dead_letters: bool = True
    drops_dead_letters: bool = False
    """Records whose dead letter cannot be written are dropped after some attempts, not held."""
    has_times_to_live: bool = False
    """Records are opened before they are given out, and those that are too old are given up."""

    def given_up(self, reason: Reason) -> int:
        """The state of records that nobody gets any more."""
        return archiving(reason) if self.dead_letter_topic else ARCHIVED

    @property
    def lock_s(self) -> float:
        return self.lock_ms / 1000

    @property
    def without_waits(self) -> "ShareRules":
        """As they are for what a member gives back while it leaves: it may not have seen it."""
        return self if self.backoff is None else msgspec.structs.replace(self, backoff=None)

    @property
    def throttled_from(self) -> int:
        """Deliveries from which on a batch is tried in ever smaller parts."""
        return max(2, (self.delivery_limit + 1) // 2)
