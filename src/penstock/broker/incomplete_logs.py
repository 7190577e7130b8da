"""What a start finds of this broker's logs, and what it misses: said to the cluster before the broker registers, and in
/health (RULES 46).

A killed process leaves all that it wrote. So a log that ends below the high watermark it had, or is not there although
the cluster counts on it, has lost more than a kill takes: power, with a boot id that tells nothing of it, a disk that
is an older copy or another one, a folder that somebody removed. It neither leads nor counts until it has caught up.
Where nobody else is left it leads with what it has, and goes on saying so.
"""

from collections.abc import Collection, Sequence

import structlog

from penstock.cluster import (
    ClusterImage,
    ImageChange,
    LogReport,
    PartitionChanged,
    PartitionImage,
    PartitionRef,
    Subscriber,
    TopicDeleted,
    TopicImage,
)
from penstock.log import LEADER_EPOCH_MAX, LogFolder, PartitionLog
from penstock.metastore import Revision
from penstock.model import BrokerId, TopicPartition

NAMES_SHOWN = 10
PRODUCER_ID_MAX = 1 << 62
"""What logs say beyond it does not move the cluster's own count, which must never come to its end."""

_log = structlog.get_logger(__name__)


class IncompleteLogs:
    def __init__(
        self, folders: Sequence[LogFolder], image: ClusterImage, me: BrokerId, *, is_folder_gone: bool
    ) -> None:
        """Of the logs as they were opened, before any is made. `is_folder_gone`: one was given up, and what it knew of
        its logs with it.
        """
        self._me = me
        self._is_folder_gone = is_folder_gone
        self._folders = folders
        logs = [log for folder in folders for log in folder]
        self.report = LogReport(
            stopped_under=_stopped_under(folders),
            flushed=frozenset(_which(log) for log in logs if log.is_flush_noted),
            shortened=frozenset(_which(log) for folder in folders for log in folder if _has_lost(log, folder)),
            held=frozenset(_which(log) for log in logs),
            # An epoch beyond that is damage: nobody can have come to it.
            epochs={_which(log): log.epochs.latest for log in logs if log.epochs.latest < LEADER_EPOCH_MAX},
            # Clients may write under any producer id, but none that high is ever given out.
            producer_id_next=max((log.producers.highest_below(PRODUCER_ID_MAX) for log in logs), default=-1) + 1,
        )
        self.reasons: dict[TopicPartition, str] = {}
        """Partitions whose records are not all here, and why; those that have caught up since are gone from it."""
        self._look_for_short_logs()
        self._look_for_missing_logs(image, self.report.held or ())
        image.subscribe(self._on_changes, Subscriber.INCOMPLETE_LOGS)

    def _committed(self, partition: TopicPartition) -> int:
        """How far a log that is not there should reach at least; 0 where nothing tells."""
        known = (rows.get(partition, 0) for folder in self._folders for rows in (folder.shortened, folder.lost))
        return max(known)

    def _look_for_short_logs(self) -> None:
        for folder in self._folders:
            for log in folder:
                if (committed := folder.shortened.get(log.partition, 0)) > log.end_offset:
                    name, end = str(log.partition), log.end_offset
                    _log.error("records lost", partition=name, end_offset=end, committed=committed)
                    self.reasons[log.partition] = f"ended at {end} at the start, and had records up to {committed}"

    def _look_for_missing_logs(self, image: ClusterImage, held: Collection[PartitionRef]) -> None:
        never_made, missing = [], []
        for topic, part in image.partitions():
            if not part.counts_on(self._me) or PartitionRef(topic.topic_id, part.index) in held:
                continue
            at = TopicPartition(topic.name, part.index)
            committed = self._committed(at)
            if not committed and _is_as_created(part) and not self._is_folder_gone and self._are_checkpoints_read():
                never_made.append(str(at))  # it is new, and a crash came first: nothing tells of a record in it
                continue
            missing.append(str(at))
            self.reasons[at] = "was missing at the start" + (
                f", and had records up to {committed}" if committed else ""
            )
        if never_made:
            _log.warning("logs not found, taken for never made", count=len(never_made), first=never_made[:NAMES_SHOWN])
        if missing:
            _log.error("logs missing", count=len(missing), first=missing[:NAMES_SHOWN])

    def _are_checkpoints_read(self) -> bool:
        return all(folder.checkpoints.knows_committed for folder in self._folders)

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if not self.reasons:
            return
        for change in changes:
            match change:
                case PartitionChanged(topic, _, part):
                    if self._is_over(part):
                        self._forget(topic, part)
                case TopicDeleted(topic):
                    for part in topic.partitions:
                        self._forget(topic, part)

    def _is_over(self, part: PartitionImage) -> bool:
        """Whether it has caught up with a leader, or keeps the partition no more. One that leads has what it has."""
        has_caught_up = self._me in part.in_sync and part.leader not in (self._me, -1)
        return has_caught_up or self._me not in part.replicas

    def _forget(self, topic: TopicImage, part: PartitionImage) -> None:
        self.reasons.pop(TopicPartition(topic.name, part.index), None)


def _is_as_created(part: PartitionImage) -> bool:
    """Nobody has led it but who did first, and nobody has been missed since. Its log may never have been made."""
    return part.leader_epoch == 0 and set(part.in_sync) == set(part.replicas)


def _stopped_under(folders: Sequence[LogFolder]) -> Revision | None:
    """The registration that ended with a clean stop of all that is kept here; None if any of it did not."""
    epochs = {folder.stopped_under for folder in folders}
    epoch = epochs.pop() if len(epochs) == 1 else None
    return None if epoch is None else Revision(epoch)


def _has_lost(log: PartitionLog, folder: LogFolder) -> bool:
    """Damage comes to the same: what is not here cannot be served by whoever is elected for it (RULES 21)."""
    is_damaged = log.trouble is not None and log.trouble.stops_reads and log.health.open_again is None
    return is_damaged or log.end_offset < folder.shortened.get(log.partition, 0)


def _which(log: PartitionLog) -> PartitionRef:
    return PartitionRef(log.topic_id, log.partition.partition)
