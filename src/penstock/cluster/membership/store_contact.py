"""Whether the metadata store can be reached, and for how long it could not (RULES 11).

While it was away nobody could renew a lease, so whoever is gone when it comes back may merely not have had the time:
for one lease time nobody is declared lost.
"""

from penstock.model import Clock


class StoreContact:
    def __init__(self, clock: Clock, *, lease_ms: int) -> None:
        self._clock = clock
        self._lease_s = lease_ms / 1000
        self._found_at_s = clock.monotonic()
        self._lost_at_s: float | None = None
        self._patient_until_s = float("-inf")

    def lost(self) -> None:
        if self._lost_at_s is None:
            self._lost_at_s = self._clock.monotonic()

    def found(self) -> None:
        """A short absence ends no lease: renewals were tried on at once."""
        now_s = self._found_at_s = self._clock.monotonic()
        if self._lost_at_s is not None:
            if now_s - self._lost_at_s >= self._lease_s / 2:
                self._patient_until_s = now_s + self._lease_s
            self._lost_at_s = None

    @property
    def is_lost(self) -> bool:
        return self._lost_at_s is not None

    @property
    def is_cut_off(self) -> bool:
        """Whether this broker's own lease must have run out by now: others may have been elected in its place."""
        return self._clock.monotonic() - self._found_at_s > self._lease_s

    @property
    def is_recent(self) -> bool:
        """Whether the store has answered within half of a lease: nothing is amiss."""
        return self._clock.monotonic() - self._found_at_s <= self._lease_s / 2

    @property
    def is_patient(self) -> bool:
        return self.patience_left_s > 0

    @property
    def patience_left_s(self) -> float:
        if self._lost_at_s is not None:
            return self._lease_s
        return max(0.0, self._patient_until_s - self._clock.monotonic())
