"""What this broker is to a partition, and what that makes it do: become leader, become follower, count, flush, resign.

The role decides (machine.py, following.py); here its decisions meet the log. No await stands between a check and what
follows from it: all of this runs on the event loop, called by handlers, by the fetcher and by the image's watch.

A follower's log takes the leader's bytes as they are, and so keeps the same offsets, leader epochs, producer state and
transaction index (RULES 27); where its tail is not the leader's it is cut, and all of these with it.
"""

from asyncio import Event
from collections.abc import Callable, Coroutine, Mapping
from itertools import count
from typing import Any, Protocol

import structlog

from penstock.cluster import PartitionImage, is_internal
from penstock.errors import (
    FencedLeaderEpoch,
    KafkaStorageError,
    NotEnoughReplicasAfterAppend,
    NotLeaderOrFollower,
    Refusal,
    UnknownLeaderEpoch,
)
from penstock.log import LEADER_EPOCH_MAX
from penstock.metastore import Revision
from penstock.model import BrokerId, Clock, LeaderEpoch, PartitionIndex, TopicId, TopicPartition
from penstock.replication.following import Follower, Offline
from penstock.replication.log_port import FlusherPort, LogPort
from penstock.replication.machine import Leader, Proposal
from penstock.replication.metrics import TopicMetrics
from penstock.replication.planted import SOUND, Planted
from penstock.replication.reader import RecordReader
from penstock.replication.rules import AppendRules
from penstock.replication.verification import Verifications
from penstock.replication.waiting import OffsetWaiters
from penstock.settings import TopicConfig

NOBODY = BrokerId(-1)
NO_BROKERS: Mapping[BrokerId, int] = {}

SLOTS = 1024
_NUMBERS = count()
_log = structlog.get_logger(__name__)


class Waiter(Protocol):
    def partition_moved(self) -> None:
        """The high watermark rose, or the partition's state changed: look again."""


class EndWatcher(Protocol):
    def end_moved(self) -> None:
        """There are records after those that followers were sent."""


class Surroundings(Protocol):
    """Whom a replica asks to carry out what it cannot do itself; `Partitions` does."""

    def propose(self, replica: "Replica", leader: Leader, proposal: Proposal) -> None: ...

    def resign(self, replica: "Replica", reason: str) -> None: ...

    def leave(self, replica: "Replica", reason: str) -> None: ...


class Replica:
    def __init__(
        self,
        *,
        topic: str,
        topic_id: TopicId,
        index: PartitionIndex,
        broker_id: BrokerId,
        log: LogPort,
        config: TopicConfig,
        clock: Clock,
        flusher: FlusherPort,
        metrics: TopicMetrics,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        brokers: Mapping[BrokerId, int] = NO_BROKERS,
        around: Surroundings | None = None,
        planted: Planted = SOUND,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.index = index
        self.is_internal = is_internal(topic)
        self.log = log
        self.reader: RecordReader | None = None
        self.slot = next(_NUMBERS) % SLOTS
        """Its place in small tables that keep something for each partition, as good as its own."""
        self.config = config
        self.rules = AppendRules.of(config, is_flushed=log.is_flush_noted)
        self.role: Leader | Follower | Offline = Offline("not assigned yet")
        # What the image says of it, for those who answer by it. The hot path asks `leader`, not the role.
        self.leader_epoch = LeaderEpoch(-1)
        self.leader = NOBODY
        self.replicas: tuple[BrokerId, ...] = ()
        self.in_sync: tuple[BrokerId, ...] = ()
        self.epoch_start = log.end_offset
        self.high_watermark = log.high_watermark
        self._broker_id = broker_id
        self._clock = clock
        self._flusher = flusher
        self.metrics = metrics
        self._spawn = spawn
        self._brokers = brokers
        self._around = around
        self._planted = planted
        self._revision = 0
        self._resigned_in = LeaderEpoch(-1)
        self._is_aside = False
        # A killed process leaves records that are in the page cache only: they count when they have been flushed.
        self._durable_end = log.recovery_point if self.rules.flushes_before_ack else log.end_offset
        self._is_flushing = False
        self._is_noting = False
        self._counted_end = log.end_offset
        """Below it records may have counted before they were flushed."""
        self._flush_hold: Event | None = None
        self._committed = OffsetWaiters()
        self._durable = OffsetWaiters()
        self._deleted = OffsetWaiters()
        self._watchers: dict[Waiter, None] = {}
        self._end_watchers: dict[EndWatcher, None] = {}
        self._verifications = Verifications()

    @property
    def topic_partition(self) -> TopicPartition:
        return TopicPartition(self.topic, self.index)

    @property
    def is_leader(self) -> bool:
        return self.leader == self._broker_id

    def current_rules(self) -> AppendRules:
        if self.rules.version != self.config.version:
            self._renew_rules()
        return self.rules

    def _renew_rules(self) -> None:
        """As long as the folder says that everything in it was flushed before it counted, that is so."""
        flushed_before = self.rules.flushes_before_ack
        self.rules = AppendRules.of(self.config, is_flushed=self.log.is_flush_noted)
        if self.rules.flushes_before_ack != flushed_before:
            self._what_counts_changed()

    def _what_counts_changed(self) -> None:
        """Whether records count before they are flushed was altered while they come. Those that counted already have
        been told of, and the high watermark stays; nothing else that is not on disk counts from now on (RULES 20).
        """
        if not self.rules.flushes_before_ack:
            self._durable_end = self.log.end_offset
            self._durable.release(self._durable_end)
            self._advance_high_watermark()
            return
        self._counted_end = self.log.end_offset
        self._durable_end = min(self._durable_end, self.log.recovery_point)
        if isinstance(self.role, Leader):
            self.role.counts_only_to(self._durable_end)
        if self._durable_end < self.log.end_offset:
            self._flush_soon()

    # Leadership -------------------------------------------------------------------------------------------------

    def lead(
        self,
        *,
        epoch: LeaderEpoch,
        leader: BrokerId,
        replicas: tuple[BrokerId, ...],
        in_sync: tuple[BrokerId, ...],
        eligible: tuple[BrokerId, ...] = (),
    ) -> None:
        """`assign` in words, for those who have no image at hand."""
        revision = Revision(self._revision + 1)
        self.assign(PartitionImage(self.index, leader, epoch, replicas, in_sync, eligible, (), (), revision))

    def assign(self, image: PartitionImage) -> None:
        """Take the image's word on who leads and who follows."""
        self._is_aside = False
        if image.leader_epoch < self.leader_epoch:
            return
        is_new_epoch = image.leader_epoch > self.leader_epoch
        if is_new_epoch:
            self._verifications.clear()
        self.leader_epoch = image.leader_epoch
        self.leader, self.replicas, self.in_sync = image.leader, image.replicas, image.in_sync
        self._revision = image.revision
        role = self.role
        if image.leader != self._broker_id:
            if is_new_epoch or not isinstance(role, Follower) or role.leader != image.leader:
                self._become_follower(image)
        elif is_new_epoch or not isinstance(role, Leader):
            self._become_leader(image)
        else:
            self._submit(role, role.updated(image, self._now()))
            self.in_sync_settled(role)
        self._notify()

    def _become_leader(self, image: PartitionImage) -> None:
        """A new epoch begins at the log's end: whatever is before it, this leader's log decides.

        At a start it may be an old one: what the store says of the broker's former process, before this one is
        registered under an epoch of its own. Where the store was taken back in time the log is past that, and must not
        forget it: it is what the next epoch is raised above.
        """
        log = self.log
        self.epoch_start = log.end_offset
        if not image.leader_epoch < log.epochs.latest < LEADER_EPOCH_MAX:
            log.epochs.assign(image.leader_epoch, log.end_offset)
        if not self.current_rules().flushes_before_ack:
            self._durable_end = log.end_offset
        self.role = role = Leader(
            image,
            me=self._broker_id,
            start=log.start_offset,
            end=self._durable_end,
            epoch_start=self.epoch_start,
            high_watermark=self.high_watermark,
            in_sync_min=self.rules.in_sync_min,
            brokers=self._brokers,
            now=self._now(),
            planted=self._planted,
        )
        self._take_high_watermark(role.high_watermark)
        if log.trouble is not None:
            self.resign(log.trouble.refusal())
        elif self._durable_end < log.end_offset:
            self._flush_soon()

    def _become_follower(self, image: PartitionImage) -> None:
        """Nobody who waits here can be answered: the records they wait for may be cut."""
        self.role = Follower(leader=image.leader, epoch=image.leader_epoch, planted=self._planted)
        # An epoch that this broker led without a record says nothing of the log. Where a log that was not read ends is
        # a guess, and what its file of epochs tells is what the next epoch is raised above (RULES 12).
        if self.log.health.is_readable:
            self.log.epochs.cut_end(self.log.end_offset)
        self._fail_waiters(NotLeaderOrFollower(f"{self.topic_partition} is led by broker {image.leader} now"))
        if self.log.trouble is not None:
            self.leave_in_sync()

    def require_leader(self, current_leader_epoch: int = -1) -> None:
        """Refuse unless this broker leads, under the epoch the caller believes in (-1: it did not say), and its log
        can be read: of a damaged one even the offsets are a guess, and OFFSET_OUT_OF_RANGE would make consumers start
        over.
        """
        if self.leader != self._broker_id:
            raise NotLeaderOrFollower(f"{self.topic_partition} is led by broker {self.leader}")
        if self.log.trouble is not None:
            self.log.health.ensure_readable()
        self._require_epoch(current_leader_epoch)

    def require_reader(self, current_leader_epoch: int) -> None:
        """As `require_leader`, for a consumer that may read from a follower too (KIP-392)."""
        if not isinstance(self.role, Follower):
            self.require_leader(current_leader_epoch)
            return
        if self._is_aside:
            raise NotLeaderOrFollower(f"{self.topic_partition} is not heard of here any more")
        self._require_epoch(current_leader_epoch)
        self.log.health.ensure_readable()

    def _require_epoch(self, current_leader_epoch: int) -> None:
        if current_leader_epoch not in (-1, self.leader_epoch):
            if current_leader_epoch < self.leader_epoch:
                raise FencedLeaderEpoch(f"{current_leader_epoch} is older than {self.leader_epoch}")
            raise UnknownLeaderEpoch(f"{current_leader_epoch} is newer than {self.leader_epoch}")

    def stand_aside(self) -> None:
        """Others may lead by now, and this broker cannot hear of it: send whoever asks to look for them (RULES 50), and
        consumers that read from a follower too. The role stays, so that `assign` goes on with it where nobody was
        elected after all.
        """
        self._is_aside = True
        if self.leader == self._broker_id:
            self.leader = NOBODY
            self._fail_waiters(NotLeaderOrFollower(f"{self.topic_partition} may be led by another broker by now"))
        self._notify()

    def retire(self) -> None:
        """The topic is gone, or this broker keeps no replica of it any more: whoever waits is told."""
        self.leader = NOBODY
        self.role = Offline("no longer here")
        self._fail_waiters(NotLeaderOrFollower(f"{self.topic_partition} is no longer here"))
        self._notify()

    def resign(self, refusal: KafkaStorageError) -> None:
        """This leader's log takes no more records: let another in-sync replica lead, or one that is eligible and there
        (RULES 22). Once an epoch.
        """
        role = self.role
        if not isinstance(role, Leader) or self._resigned_in == self.leader_epoch or self._around is None:
            return
        if len(self.in_sync) > 1 or any(broker in self._brokers for broker in role.image.eligible):
            self._resigned_in = self.leader_epoch
            self._around.resign(self, refusal.message)

    def leave_in_sync(self) -> None:
        """This follower's log is damaged, or takes no more records: nobody is to wait for it, or to elect it."""
        if self._around is not None and self.log.trouble is not None and isinstance(self.role, Follower):
            self._around.leave(self, self.log.trouble.reason)

    @property
    def eligible_below(self) -> int:
        """How many must stay in sync for this replica, with its log in trouble, not to be needed: whoever is stopped by
        a full disk, or a want of something at start, has what it had; of all other trouble nobody knows (RULES 5).
        """
        trouble = self.log.trouble
        has_what_it_had = trouble is None or trouble.may_pass or self.log.health.open_again is not None
        return self.current_rules().in_sync_min if has_what_it_had else 0

    def _make_way(self) -> None:
        """A trouble that nobody who appends came upon, but a reader or a scrub, or that was there before there was
        anybody to make way for: a partition without writers has it too.
        """
        trouble = self.log.trouble
        if trouble is not None and isinstance(self.role, Leader) and self._broker_id in self.in_sync:
            self._resigned_in = LeaderEpoch(-1)
            self.resign(trouble.refusal())
        elif trouble is not None and self.leader >= 0:
            self.leave_in_sync()

    # The in-sync set --------------------------------------------------------------------------------------------

    def look_after_followers(self, *, lag_ms_max: int) -> None:
        """From time to time: is this log fit for what it is to be? And as leader: who has stayed behind, who may join,
        has the minimum been changed?
        """
        # Each second for each partition, of which nearly all want nothing: what would find nothing to do is not called.
        log = self.log
        if self.current_rules().asks_to_flush != log.is_flush_noted:
            self.keep_flush_note()
        if log.trouble is not None:
            self._make_way()
        if self._deleted.waiting and isinstance(self.role, Leader):  # who died meanwhile is not waited for
            self._deleted.release(self.role.low_watermark(log.start_offset))
        if len(self.replicas) == 1:
            return
        role, trouble = self.role, log.trouble
        if not isinstance(role, Leader) or (trouble is not None and trouble.stops_reads):
            return  # whoever cannot fetch from a damaged log does not stay behind by its own fault
        if self.current_rules().in_sync_min != role.in_sync_min:
            self._submit(role, role.in_sync_min_changed(self.rules.in_sync_min))
        self._submit(role, role.tick(self._now(), lag_ms_max=lag_ms_max, log_end=self.log.end_offset))
        self.in_sync_settled(role)

    def broker_registered(self, broker_id: BrokerId, broker_epoch: int) -> None:
        role = self.role
        if isinstance(role, Leader):
            self._submit(role, role.registered(broker_id, broker_epoch, self._now()))

    def _submit(self, leader: Leader, proposal: Proposal | None) -> None:
        if proposal is not None and self._around is not None:
            self._around.propose(self, leader, proposal)

    def in_sync_settled(self, leader: Leader) -> None:
        """The leader's sets have changed, or may have: who counts decides how far the high watermark is."""
        if self.role is not leader:
            return
        self.in_sync = leader.image.in_sync
        self._revision = leader.image.revision
        self._take_high_watermark(leader.high_watermark)
        if not leader.has_enough_in_sync and self._committed.waiting:
            self._committed.fail(
                NotEnoughReplicasAfterAppend(
                    f"{len(self.in_sync)} in sync, min.insync.replicas asks for {leader.in_sync_min}; the records"
                    " are in the leader's log"
                )
            )

    # High watermark ---------------------------------------------------------------------------------------------

    def _advance_high_watermark(self) -> None:
        """This broker's own end has moved: followers have something to fetch, and perhaps all have had it."""
        if self._end_watchers:
            self._tell_end()
        role = self.role
        if type(role) is not Leader:
            return
        if role.is_alone and self._durable_end >= role.high_watermark:  # as `appended`, for most partitions there are
            role.end = role.high_watermark = self._durable_end
        else:
            role.appended(self._durable_end)
        if role.high_watermark > self.high_watermark:
            self._take_high_watermark(role.high_watermark)

    def _take_high_watermark(self, high_watermark: int) -> None:
        if high_watermark <= self.high_watermark:
            return
        # The log keeps a copy: for its checkpoint, and as the limit of retention.
        self.high_watermark = self.log.high_watermark = high_watermark
        self.log.producers.replicated_to(high_watermark)
        if self._committed.waiting:
            self._committed.release(high_watermark)
        if self._watchers:
            self._notify()

    def watch(self, waiter: Waiter) -> None:
        self._watchers[waiter] = None

    def unwatch(self, waiter: Waiter) -> None:
        self._watchers.pop(waiter, None)

    def _notify(self) -> None:
        for waiter in tuple(self._watchers):
            waiter.partition_moved()

    def watch_end(self, watcher: EndWatcher) -> None:
        self._end_watchers[watcher] = None

    def unwatch_end(self, watcher: EndWatcher) -> None:
        self._end_watchers.pop(watcher, None)

    def _tell_end(self) -> None:
        for watcher in tuple(self._end_watchers):
            watcher.end_moved()

    # Flushing ---------------------------------------------------------------------------------------------------

    def _flush_soon(self) -> None:
        if self._end_watchers:
            self._tell_end()  # followers fetch while the leader flushes
        if not self._is_flushing:
            self._is_flushing = True
            self._spawn(self._flush())

    def _is_flush_due(self, end_offset: int) -> bool:
        if self.rules.flushes_before_ack:
            return self._durable_end < end_offset
        return end_offset - self.log.recovery_point >= self.rules.flush_records

    async def _flush(self) -> None:
        """Group commit: while one fdatasync runs, later appends gather behind it and share the next one."""
        try:
            while self._is_flush_due(upto := self.log.end_offset):
                if await self._flush_to(upto):
                    self._durable.release(self._durable_end)
                    self._advance_high_watermark()
        except Refusal as refusal:
            self._flush_failed(refusal)
        except OSError as error:  # the flush could not even begin
            self._flush_failed(self.log.health.fail("flush failed", error))
        finally:
            self._is_flushing = False

    async def _flush_to(self, upto: int) -> bool:
        """One flush; False where it says nothing of the log as it is now: cut, or exchanged for its copy, meanwhile."""
        if self._flush_hold is not None:
            await self._flush_hold.wait()
            return False
        log, cuts = self.log, self.log.cuts
        try:
            await self._flusher.durable(log, upto)
        except (Refusal, OSError):
            if self.log is log:
                raise
            return False
        if self.log is not log or log.cuts != cuts:
            return False
        self._durable_end = max(self._durable_end, upto)
        return True

    def keep_flush_note(self) -> None:
        """Whoever loses its page cache stays in sync only where its folder says that it had nothing to lose there. The
        topic's setting would not do: a replica that has not heard of it yet, or is down, has flushed nothing for it.

        Called only while this process is registered: until then what the folder says is of the one before.
        """
        log, is_asked = self.log, self.current_rules().asks_to_flush
        if is_asked == log.is_flush_noted or self._is_noting or log.trouble is not None:
            return
        if not is_asked or self._durable_end >= self._counted_end:
            self._is_noting = True
            self._spawn(self._write_flush_note(log, holds=is_asked))

    async def _write_flush_note(self, log: LogPort, *, holds: bool) -> None:
        try:
            await self._flusher.note(log, holds=holds)
        except (KafkaStorageError, OSError) as error:
            _log.error("flushes not noted", partition=str(self.topic_partition), reason=str(error))
        finally:
            self._is_noting = False
        self._renew_rules()

    # Another log for the same records -----------------------------------------------------------------------------

    def hold_flushes(self) -> "Callable[[], None]":
        """Begin no flush until what is returned is called: what is on disk of the log stays as it is meanwhile."""
        hold = self._flush_hold = Event()

        def release() -> None:
            if self._flush_hold is hold:
                self._flush_hold = None
            hold.set()

        return release

    def is_as_durable(self, log: LogPort) -> bool:
        """Whether a copy of the log has on disk all that the log has there, and all that was acknowledged for it."""
        acknowledged = self._durable_end if self.current_rules().flushes_before_ack else 0
        return log.recovery_point >= max(self.log.recovery_point, acknowledged)

    def exchange_log(self, log: LogPort) -> None:
        """Go on with a copy that has the same records, is as durable, and knows all that the log knew."""
        log.high_watermark = self.high_watermark
        self.log = log
        self._renew_rules()  # nobody has noted of the copy yet whether it is flushed first
        self._notify()

    def _flush_failed(self, refusal: Refusal) -> None:
        self._fail_waiters(refusal)
        if isinstance(refusal, KafkaStorageError) and self.log.trouble is not None:
            self.resign(refusal)

    def _fail_waiters(self, refusal: Refusal) -> None:
        self._committed.fail(refusal)
        self._durable.fail(refusal)
        self._deleted.fail(refusal)

    def _now(self) -> int:
        """Milliseconds that never go back."""
        return int(self._clock.monotonic() * 1000)
