"""What a broker's logs say when it starts: the cluster is told before the broker registers (RULES 2, 4, 12, 46)."""

from collections.abc import Collection, Mapping

import msgspec

from penstock.cluster.duties.partition_writes import NO_EPOCHS, PartitionRef
from penstock.metastore import Revision


class LogReport(msgspec.Struct, frozen=True, kw_only=True):
    """The default is a report of logs that have lost nothing."""

    stopped_under: Revision | None = None
    """The registration that ended with everything flushed, as the data folders say. If it was the last one there was, a
    restart of the machine has lost nothing. A backup that was put back has an older one.
    """
    flushed: Collection[PartitionRef] = frozenset()
    """Partitions of which nothing counted here before it was on disk: a restart of the machine has lost nothing of
    them.
    """
    shortened: Collection[PartitionRef] = frozenset()
    """Partitions of which committed records are missing here, also where nobody knows of a restart."""
    held: Collection[PartitionRef] | None = None
    """Partitions that have a log here: of others all is lost. None: all have one."""
    epochs: Mapping[PartitionRef, int] = NO_EPOCHS
    """The latest leader epoch in each log: none is led under an earlier one. A store that was taken back in time goes
    on after these.
    """
    producer_id_next: int = 0
    """After all producer ids in the logs; it is for a store that was taken back in time too."""


NOTHING_LOST = LogReport()
