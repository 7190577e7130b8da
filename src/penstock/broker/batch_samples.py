"""Which of a connection's batches are opened: the first of each partition, then one in a hundred (docs/adr/0047).

Partitions are told apart by their slot, of which there are few: what is kept is two bytes for each. Partitions that
were made SLOTS apart share one, and so their samples.
"""

from penstock.replication import SLOTS

FIRST_OPENED = 10
RECORDS_AS_ONE = 100
"""So many records of a batch count as another batch among the first."""
ONE_IN = 100

NO_SKIPS = bytes(SLOTS)


class BatchSamples:
    """One for each connection that produces to topics with `penstock.validate.records=sampled`."""

    __slots__ = ("_opened", "is_caught", "skips")

    def __init__(self) -> None:
        self._opened = bytearray(SLOTS)
        self.skips = bytearray(SLOTS)
        """By slot: how many batches pass unopened before the next that is opened."""
        self.is_caught = False

    def wants(self, slot: int) -> bool:
        """Whether the next batch is one to open. If not, it counts as passed."""
        left = self.skips[slot]
        if left:
            self.skips[slot] = left - 1
        return not left

    def opened(self, slot: int, records: int = 0) -> None:
        """A batch of so many records was, and was sound. Many records say more than few, and cost more."""
        if self.is_caught:
            return
        self._opened[slot] = opened = min(self._opened[slot] + 1 + records // RECORDS_AS_ONE, FIRST_OPENED)
        if opened == FIRST_OPENED:
            self.skips[slot] = ONE_IN - 1

    def catch(self) -> None:
        """Records were not what their batch said: from now on everything is opened."""
        self.is_caught = True
        self.skips[:] = NO_SKIPS
