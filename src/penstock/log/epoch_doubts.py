"""Whether the leader epochs of batches in a torn tail can be true: a batch's checksum does not cover its epoch.

Two things are known. Along a log epochs never fall. And nobody can have come to one of LEADER_EPOCH_MAX or above: no
partition could be led under a later one.

That an epoch is later than the metadata knows says nothing: where that was taken back in time, all that was written
since the next election is, and perhaps acknowledged. Nor does it do harm: the broker has the partition led under a
later one before it registers.
"""

from penstock.log.epochs import LEADER_EPOCH_MAX
from penstock.log.segments.scan import Damaged, Found


class EpochDoubts:
    """Looks at all batches of a log that were not flushed, in order, segment by segment."""

    def __init__(self, *, on_disk: int) -> None:
        # A later one that was flushed came from elsewhere, such as a log that Kafka wrote: it is believed.
        self._latest = max(LEADER_EPOCH_MAX - 1, on_disk)
        self._epoch = -1
        self._began: tuple[int, int] | None = None
        """Position and offset of the first batch with the last one's epoch; None where that is in another segment."""

    def next_segment(self) -> None:
        self._began = None

    def look_at(self, found: Found) -> None:
        """Damaged, from where on the epochs are not to be believed."""
        header = found.header
        epoch, here = header.leader_epoch, (found.position, header.base_offset)
        if epoch > self._latest:
            raise Damaged(*here, f"a batch of leader epoch {epoch}, when none can be later than {self._latest},")
        if epoch < self._epoch:
            # Either this one is wrong or those before it: to be sure, all of them go.
            raise Damaged(*(self._began or here), f"a batch of leader epoch {self._epoch} before one of {epoch},")
        if epoch > self._epoch:
            self._epoch, self._began = epoch, here
