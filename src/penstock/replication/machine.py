"""A partition's leader, as a machine: who counts, how far all of them have come, and who should join or leave.

Theory. The in-sync set is kept in the metastore, and a later leader is elected from it. So a record is safe once every
member of the set has it: the high watermark is the least of their ends. The set changes by a compare-and-write that
this leader sends; from sending until the outcome is known, an election may go by the old set or by the new one.

What always holds:
- the high watermark never falls, and never passes the end of a member of the in-sync set, nor, while a write is under
  way, of a member of the set that it proposes (RULES 6); a write that timed out is under way until the store has shown
  that it was made, or that it never can be;
- it stands still while fewer than min.insync.replicas are in sync, or while anybody is eligible who is not (RULES 5):
  whoever is in the eligible set has all that is below it (KIP-966);
- a follower counts by what it fetched in this leader epoch, under the registration it has now (RULES 1, 7).

Who drives it: a Partition with a real log, or a simulated node with a simulated one. `appended` and `fetched` are the
hot path, plain ints; the driver looks at `high_watermark` after each. Whatever returns a Proposal wants it written;
its outcome comes back through `written`, `conflicted` or, from the metastore's watch, `updated`.
"""

from collections.abc import Mapping, Set
from typing import Protocol

import msgspec

from penstock.cluster import PartitionImage
from penstock.errors import NotLeaderOrFollower, StaleBrokerEpoch, UnknownLeaderEpoch
from penstock.model import BrokerId
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from penstock.replication.progress import UNKNOWN, Progress

Brokers = tuple[BrokerId, ...]


class Proposal(msgspec.Struct, frozen=True):
    """A write to the partition's record: these sets, if it is still as of `expected_revision`."""

    in_sync: Brokers
    eligible: Brokers
    expected_revision: int
    joining: dict[BrokerId, int]
    """Whoever is added, and the registration that must still hold for it (RULES 1)."""


class Diverging(msgspec.Struct, frozen=True, gc=False):
    """A follower's log parted from the leader's: the largest epoch they may share, and where it ends."""

    epoch: int
    end_offset: int


class Epochs(Protocol):
    """Which leader epoch wrote what: a log's cache of it."""

    def end_offset_for(self, epoch: int) -> tuple[int, int]: ...


class Leader:
    __slots__ = (
        "_brokers",
        "_bugs",
        "_counted",
        "_may_advance",
        "_progress",
        "end",
        "epoch_start",
        "has_enough_in_sync",
        "high_watermark",
        "image",
        "in_sync_min",
        "is_alone",
        "me",
        "pending",
        "start",
    )

    def __init__(
        self,
        image: PartitionImage,
        *,
        me: BrokerId,
        start: int,
        end: int,
        epoch_start: int,
        high_watermark: int,
        in_sync_min: int,
        brokers: Mapping[BrokerId, int],
        now: int,
        bugs: ReplicationBugs = NO_BUGS,
    ) -> None:
        """`brokers` are those registered and not about to stop, with their broker epochs: a live view of the image."""
        self.me = me
        self.image = image
        self.start = start
        self.end = end
        """What this leader has itself, and has flushed where that counts."""
        self.epoch_start = epoch_start
        self.high_watermark = high_watermark
        self.in_sync_min = in_sync_min
        self.pending: Proposal | None = None
        self.has_enough_in_sync = False
        """Whether acks=all may be promised."""
        self.is_alone = False
        """Nobody else counts and nothing is in the way: the high watermark is the end."""
        self._brokers = brokers
        self._bugs = bugs
        self._progress: dict[BrokerId, Progress] = {}
        self._settle(now)

    # The hot path -----------------------------------------------------------------------------------------------

    def appended(self, end: int) -> None:
        """This leader has everything below `end`."""
        self.end = end
        if self.is_alone:
            self.high_watermark = max(self.high_watermark, end)
        elif self._may_advance:
            self._advance()

    def counts_only_to(self, end: int) -> None:
        """Of this leader's own records only those below `end` count from now on; the high watermark stays."""
        self.end = min(self.end, end)

    def fetched(
        self, broker_id: BrokerId, offset: int, *, broker_epoch: int, log_start: int, leader_end: int, now: int
    ) -> Proposal | None:
        """A follower asks for `offset` in this leader epoch, and its log agrees with ours up to there."""
        progress = self._progress.get(broker_id)
        if progress is None:
            raise NotLeaderOrFollower(f"broker {broker_id} is no replica: they are {self.image.replicas}")
        if broker_epoch != progress.broker_epoch:
            self._recognise(progress, broker_epoch, now)
        known = progress.end
        progress.fetched(offset, log_start=log_start, leader_end=leader_end, now=now)
        if self._may_advance:
            self._advance()
        if broker_id not in self.image.in_sync:
            return self.review() if self.is_caught_up(progress) else None
        elif offset < self.high_watermark and known == UNKNOWN:
            # In sync, and yet without what is committed: it has lost records, and must not be elected. Not so one that
            # was further before: what a follower has it keeps within an epoch and a registration. That fetch was sent
            # on a connection before this one, and comes late.
            return self.review(without={broker_id}, has_lost=True)
        return None

    def diverging(self, epochs: Epochs, *, last_fetched_epoch: int, offset: int) -> Diverging | None:
        """Where a follower's log parted from ours, if it did: such a fetch is no progress, whatever it asks for."""
        if last_fetched_epoch < 0 or self._bugs.counts_diverging_fetch:
            return None
        epoch, end_offset = epochs.end_offset_for(last_fetched_epoch)
        if epoch < 0:  # not "out of range", which would make the follower throw its log away
            raise UnknownLeaderEpoch(f"nothing is known of epoch {last_fetched_epoch} here")
        return Diverging(epoch, end_offset) if epoch < last_fetched_epoch or end_offset < offset else None

    def _recognise(self, progress: Progress, broker_epoch: int, now: int) -> None:
        """Fetches under another registration than before: a new one starts from nothing, an old one is too late."""
        newest = max(progress.broker_epoch, self._brokers.get(progress.broker_id, UNKNOWN))
        if broker_epoch < newest:
            raise StaleBrokerEpoch(f"broker {progress.broker_id} has epoch {newest}, not {broker_epoch} any more")
        if self._bugs.keeps_progress_of_former_registration:
            progress.broker_epoch = broker_epoch
        else:
            progress.clear(broker_epoch, now)

    def _advance(self) -> None:
        low = self.end
        for progress in self._counted:
            low = min(low, progress.end)
        self.high_watermark = max(self.high_watermark, low)

    # Who is in sync ---------------------------------------------------------------------------------------------

    def is_caught_up(self, progress: Progress) -> bool:
        """RULES 7. The high watermark alone is not enough: a new leader may not know yet how far its predecessor
        had come, but it has all of that itself, before its own epoch's start.
        """
        needed = self.high_watermark
        if not self._bugs.joins_below_epoch_start:
            needed = max(needed, self.epoch_start)
        return progress.end >= needed and self._brokers.get(progress.broker_id, UNKNOWN) == progress.broker_epoch

    def tick(self, now: int, *, lag_ms_max: int, log_end: int) -> Proposal | None:
        """From time to time: who has stayed behind for too long leaves, whoever has caught up joins.

        A follower that has everything is up with us now, whether or not it had reason to ask.
        """
        late = set()
        for progress in self._progress.values():
            if progress.end >= log_end:
                progress.caught_up_at = now
            elif now - progress.caught_up_at > lag_ms_max:
                late.add(progress.broker_id)
        return self.review(without=late)

    def review(self, *, without: Set[BrokerId] = frozenset(), has_lost: bool = False) -> Proposal | None:
        """Who should be in sync, by what is known now. One write at a time: while one is under way, None.

        Those `without` leave, and where they have lost records they are not eligible either.
        """
        if self.pending is not None or self.me not in self.image.in_sync:
            return None  # a leader that is not in sync has resigned: its sets are its successor's to change
        for broker_id in without & self._progress.keys():
            # It joins again when it has asked again: what it had may be all there is, and that proves nothing now.
            self._progress[broker_id].end = UNKNOWN
        wanted = set(self.image.in_sync) - without
        wanted |= {progress.broker_id for progress in self._progress.values() if self.is_caught_up(progress)}
        return self._propose(wanted, lost=without if has_lost else frozenset())

    def _propose(self, wanted: set[BrokerId], *, lost: Set[BrokerId] = frozenset()) -> Proposal | None:
        image = self.image
        in_sync = tuple(broker for broker in image.replicas if broker in wanted)
        eligible: Brokers = ()
        if len(in_sync) < self._in_sync_needed:
            # Whoever leaves now has all that is below the high watermark, which does not move until enough are back.
            held = {*image.in_sync, *image.eligible} - lost
            eligible = tuple(broker for broker in image.replicas if broker in held and broker not in in_sync)
        if set(in_sync) == set(image.in_sync) and set(eligible) == set(image.eligible):
            return None
        joining = {
            broker: self._progress[broker].broker_epoch
            for broker in in_sync
            if broker not in image.in_sync and broker != self.me
        }
        proposal = Proposal(
            in_sync=in_sync,
            eligible=eligible,
            expected_revision=image.revision,
            joining={} if self._bugs.joins_without_registration else joining,
        )
        self.pending = proposal
        self._count()
        return proposal

    # What became of a proposal ----------------------------------------------------------------------------------

    def written(self, proposal: Proposal, revision: int, now: int) -> Proposal | None:
        """The write was made. Perhaps the watch has told so already, or even of what came after it."""
        if self.pending is proposal:
            image = msgspec.structs.replace(
                self.image,
                in_sync=proposal.in_sync,
                eligible=proposal.eligible,
                revision=revision,
            )
            self._take(image, now)
        return self.review()

    def conflicted(self, proposal: Proposal, now: int) -> None:
        """The write was refused. What it compared never comes back, so no earlier try of it can be made any more; and
        if one of them was made, the image has shown it by now (`updated`), and this proposal is not pending.
        """
        if self.pending is proposal:
            self._settle(now)

    def timed_out(self, proposal: Proposal, now: int) -> None:
        """Nobody knows. The write stays pending, and is tried again as it is."""
        if self._bugs.takes_timeout_for_failure and self.pending is proposal:
            self._settle(now)

    def updated(self, image: PartitionImage, now: int) -> Proposal | None:
        """The metastore's record of this partition, in this leader epoch, as the watch shows it."""
        if image.revision > self.image.revision:
            for broker_id in set(self.image.in_sync) - set(image.in_sync):
                if broker_id in self._progress:
                    self._progress[broker_id].end = UNKNOWN  # somebody knew better: it joins when it has asked again
            self._take(image, now)
        return self.review()

    def _take(self, image: PartitionImage, now: int) -> None:
        """Go by these sets from now on. Whoever has joined begins with a full replica.lag.time.max.ms: where the high
        watermark stood still it has all that is below it, and may be far from the end all the same.
        """
        joined = set(image.in_sync) - set(self.image.in_sync)
        self.image = image
        self._settle(now)
        for broker_id in joined & self._progress.keys():
            self._progress[broker_id].caught_up_at = now

    def registered(self, broker_id: BrokerId, broker_epoch: int, now: int) -> Proposal | None:
        """A broker registered again: what it had before says nothing of what it has now (RULES 1). One whose fetches
        under this registration came before the news of it may have been waiting for that to join.
        """
        progress = self._progress.get(broker_id)
        if progress is None:
            return None
        if broker_epoch > progress.broker_epoch and not self._bugs.keeps_progress_of_former_registration:
            progress.clear(broker_epoch, now)
        return self.review()

    def in_sync_min_changed(self, in_sync_min: int) -> Proposal | None:
        """A lower minimum lets the high watermark move on only when nobody is eligible any more who is not in sync."""
        self.in_sync_min = in_sync_min
        self._count()
        return self.review()

    def _settle(self, now: int) -> None:
        """No write is under way, and the image's sets count."""
        self.pending = None
        followers = [broker for broker in self.image.replicas if broker != self.me]
        self._progress = {broker: self._progress.get(broker) or Progress(broker, now) for broker in followers}
        self._count()

    # Who counts -------------------------------------------------------------------------------------------------

    @property
    def _in_sync_needed(self) -> int:
        return min(self.in_sync_min, len(self.image.replicas))

    def _count(self) -> None:
        """Work out, once a change, what each append and fetch goes by."""
        image, pending, bugs = self.image, self.pending, self._bugs
        counted = set(image.in_sync)
        self.has_enough_in_sync = len(image.in_sync) >= self._in_sync_needed
        may_advance = self.has_enough_in_sync and (not image.eligible or bugs.counts_while_somebody_is_eligible)
        if pending is not None and not bugs.forgets_pending_write:
            counted |= set(pending.in_sync)
            may_advance = may_advance and len(pending.in_sync) >= self._in_sync_needed and not pending.eligible
        if bugs.counts_itself_alone:
            counted = set()
        self._may_advance = may_advance or bugs.counts_below_in_sync_min
        self._counted = tuple(self._progress[broker] for broker in sorted(counted) if broker in self._progress)
        self.is_alone = self._may_advance and not self._counted
        if self._may_advance:
            self._advance()

    # Questions --------------------------------------------------------------------------------------------------

    def progress_of(self, broker_id: BrokerId) -> Progress | None:
        return self._progress.get(broker_id)

    def low_watermark(self, own_start: int) -> int:
        """The log start that all live replicas have reached: what DeleteRecords waits for (RULES 19)."""
        followers = (progress for progress in self._progress.values() if progress.broker_id in self._brokers)
        return min([own_start, *(follower.log_start for follower in followers)])
