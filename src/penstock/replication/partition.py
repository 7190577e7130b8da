"""One partition as its leader or a follower sees it.

The partition has what everybody asks for (who leads, the high watermark, the log) and takes a leader's appends. The
rest is done by its parts, which are given the partition. All of it runs on the event loop: no await stands between a
check and what follows from it, so whatever was checked still holds. Everybody may read everything; who writes what:

    leadership    role, leader, leader epoch, replicas, where the epoch starts: as the image says
    followers     for a leader: the in-sync set, and proposals to change it
    follower_log  for a follower: the log's tail, appended as it comes from the leader, cut where the leader says
    durability    how far the log is on disk, and begins flushes
    transactions  guards of transactions that are about to begin, and markers
    waiters       who is told when something moves
    reader        nothing: what may be read, from where to where
    Partition     the high watermark, the rules, the log's end while it leads

What always holds
- The high watermark never falls, but where a follower is cut, and never passes what every member of the in-sync set has
  (and, where the topic flushes before it acknowledges, has flushed). Readers see records below it only; acks=all is
  answered when it has passed them.
- The log's end may be ahead of the high watermark; the range between is neither served nor out of range (RULES 18).
"""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from itertools import count
from typing import Any, Protocol

from penstock.cluster import is_internal
from penstock.errors import (
    FencedLeaderEpoch,
    InvalidTopic,
    KafkaStorageError,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    PolicyViolation,
    UnknownLeaderEpoch,
)
from penstock.log import Duplicate, ProducerState, Trouble
from penstock.model import BrokerId, Clock, LeaderEpoch, PartitionIndex, TopicId, TopicPartition
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from penstock.replication.durability import Durability
from penstock.replication.follower_log import FollowerLog
from penstock.replication.followers import Followers
from penstock.replication.following import Follower, Offline
from penstock.replication.leadership import NOBODY, AlterPartitionManager, Leadership
from penstock.replication.log_port import FlusherPort, LogPort
from penstock.replication.machine import Leader
from penstock.replication.metrics import TopicMetrics
from penstock.replication.partition_reader import PartitionReader
from penstock.replication.partition_transactions import PartitionTransactions
from penstock.replication.promise import Promise
from penstock.replication.rules import (
    Appended,
    AppendRules,
    Opened,
    Walk,
    check_header,
    clear_append_time,
    open_batch,
    stamp_append_time,
)
from penstock.replication.verification import VerificationGuard
from penstock.replication.waiting import PartitionWaiters
from penstock.settings import TopicConfig
from penstock.settings import topic as settings
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader

ALL = -1


class RecordInspector(Protocol):
    """Looks at the records of each batch before its append, where a topic asks for that."""

    def inspect(self, view: memoryview, *, stamped_ms: int | None) -> None:
        """A Refusal where they cannot be taken; in a thread, unless the batch is small. `stamped_ms`: about the time
        that the log will put on them, where it does.
        """

    def check_deletion(self, before: int) -> None:
        """A Refusal where records below an offset may not be deleted."""


class Deduplicator(Protocol):
    """Leaves records out whose id is in the log already, where a topic asks for that."""

    def look_into(self, open_with: Callable[[Walk], Opened]) -> Opened:
        """Open a batch, and find its ids on the way; in a thread, unless the batch is small."""


NO_BROKERS: Mapping[BrokerId, int] = {}

SLOTS = 1024
_NUMBERS = count()


class Partition:
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
        manager: AlterPartitionManager | None = None,
        bugs: ReplicationBugs = NO_BUGS,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.index = index
        self.is_internal = is_internal(topic)
        self.slot = next(_NUMBERS) % SLOTS
        """Its place in small tables that keep something for each partition, as good as its own."""
        self.broker_id = broker_id
        self.log = log
        self.config = config
        self.clock = clock
        self.metrics = metrics
        self.bugs = bugs
        self.rules = AppendRules.of(config, is_flushed=log.is_flush_noted)
        self.role: Leader | Follower | Offline = Offline("not assigned yet")
        # What the image says of it, for those who answer by it. The hot path asks `leader`, not the role.
        self.leader_epoch = LeaderEpoch(-1)
        self.leader = NOBODY
        self.replicas: tuple[BrokerId, ...] = ()
        self.in_sync: tuple[BrokerId, ...] = ()
        self.epoch_start = log.end_offset
        self.high_watermark = log.high_watermark
        self.waiters = PartitionWaiters()
        self.durability = Durability(self, flusher=flusher, spawn=spawn)
        self.leadership = Leadership(self, brokers=brokers, manager=manager)
        self.followers = Followers(self, manager=manager)
        self.follower_log = FollowerLog(self)
        self.transactions = PartitionTransactions(self)
        self.reader = PartitionReader(self)
        self.inspector: RecordInspector | None = None
        self.deduplicator: Deduplicator | None = None

    @property
    def topic_partition(self) -> TopicPartition:
        return TopicPartition(self.topic, self.index)

    @property
    def shown(self) -> "Partition":
        """The one whose log its readers see: itself, unless it is a view's."""
        return self

    @property
    def is_leader(self) -> bool:
        return self.leader == self.broker_id

    @property
    def start_offset(self) -> int:
        return self.log.start_offset

    @property
    def end_offset(self) -> int:
        return self.log.end_offset

    @property
    def trouble(self) -> Trouble | None:
        """Why the log takes no records, if it takes none."""
        return self.log.trouble

    def now_ms(self) -> int:
        """Milliseconds that never go back."""
        return int(self.clock.monotonic() * 1000)

    def current_rules(self) -> AppendRules:
        if self.rules.version != self.config.version:
            self.renew_rules()
        return self.rules

    def renew_rules(self) -> None:
        """As long as the folder says that everything in it was flushed before it counted, that is so."""
        flushed_before = self.rules.flushes_before_ack
        self.rules = AppendRules.of(self.config, is_flushed=self.log.is_flush_noted)
        if self.rules.flushes_before_ack != flushed_before:
            self.durability.what_counts_changed()

    def exchange_log(self, log: LogPort) -> None:
        """Go on with a copy that has the same records, is as durable, and knows all that the log knew."""
        log.high_watermark = self.high_watermark
        self.log = log
        self.renew_rules()  # nobody has noted of the copy yet whether it is flushed first
        self.waiters.tell_moved()

    # Who may ask ------------------------------------------------------------------------------------------------

    def require_leader(self, current_leader_epoch: int = -1) -> None:
        """Refuse unless this broker leads, under the epoch the caller believes in (-1: it did not say), and its log
        can be read: of a damaged one even the offsets are a guess, and OFFSET_OUT_OF_RANGE would make consumers start
        over. A follower names what is wrong with the epoch first, as Kafka does: who knows a newer one need not look
        for another leader.
        """
        if self.leader != self.broker_id:
            if isinstance(self.role, Follower):
                self._require_epoch(current_leader_epoch)
            raise NotLeaderOrFollower(f"{self.topic_partition} is led by broker {self.leader}")
        if self.log.trouble is not None:
            self.log.health.ensure_readable()
        self._require_epoch(current_leader_epoch)

    def require_reader(self, current_leader_epoch: int) -> None:
        """As `require_leader`, for a consumer that may read from a follower too (KIP-392)."""
        if not isinstance(self.role, Follower):
            self.require_leader(current_leader_epoch)
            return
        if self.leadership.is_aside:
            raise NotLeaderOrFollower(f"{self.topic_partition} is not heard of here any more")
        self._require_epoch(current_leader_epoch)
        self.log.health.ensure_readable()

    def _require_epoch(self, current_leader_epoch: int) -> None:
        if current_leader_epoch not in (-1, self.leader_epoch):
            if current_leader_epoch < self.leader_epoch:
                raise FencedLeaderEpoch(f"{current_leader_epoch} is older than {self.leader_epoch}")
            raise UnknownLeaderEpoch(f"{current_leader_epoch} is newer than {self.leader_epoch}")

    # Appending --------------------------------------------------------------------------------------------------

    def open(self, view: memoryview, pause: Callable[[], None] | None = None) -> Opened:
        """Look into a batch before its append, and recompress it if the topic wants that; for a thread, unless the
        batch is small.
        """
        rules, inspector = self.rules, self.inspector
        check_header(view, rules, None)
        open_with = partial(open_batch, view, rules, self.clock.now(), pause)
        if not rules.deduplicates:
            opened = open_with()
        elif self.deduplicator is None:
            raise NotEnoughReplicas(f"the ids of {self.topic_partition} are being read")
        else:
            opened = self.deduplicator.look_into(open_with)
        if rules.wants_inspector:
            if inspector is None:
                raise NotLeaderOrFollower(f"{self.topic_partition} is not ready yet")
            inspector.inspect(opened.view, stamped_ms=self.clock.now() if rules.stamps_append_time else None)
        return opened

    def append_opened(self, opened: Opened, *, acks: int, guard: VerificationGuard | None = None) -> Appended:
        """As `append`, for a batch that `open` has looked into."""
        if opened.appender is not None:
            return opened.appender.append(acks=acks, guard=guard)
        return self.append(opened.view, acks=acks, guard=guard, is_opened=True)

    def append(
        self,
        view: memoryview,
        *,
        acks: int,
        guard: VerificationGuard | None = None,
        by_coordinator: bool = False,
        is_opened: bool = False,
    ) -> Appended:
        """Append the one batch in `view`, which is patched in place. The caller may reuse its memory afterwards.

        A transaction's first batch needs the `guard` that `transactions.begin_check` gave before the coordinator was
        asked. A coordinator that writes within a producer's transaction (`by_coordinator`) counts no sequences. What
        was looked into before (`is_opened`) has its timestamps right.
        """
        if self.leader != self.broker_id:
            raise NotLeaderOrFollower(f"{self.topic_partition} is led by broker {self.leader}")
        rules = self.rules
        if rules.version != self.config.version:
            rules = self.current_rules()
        if acks == ALL and len(self.in_sync) < rules.in_sync_min:
            self.followers.check_in_sync(rules)
        now = self.clock.now()
        header = check_header(view, rules, None if is_opened else now)
        log = self.log
        if log.trouble is not None:
            return self._append_to_stopped(header, log.trouble, by_coordinator)
        expected_from = None
        if header.producer_id >= 0:
            expected_from = log.producers.expects(header)
            if expected_from is None:
                duplicate = self.transactions.look_closely(header, guard, by_coordinator)
                if duplicate is not None:
                    return self._duplicate(duplicate)
        if rules.stamps_append_time:
            stamp_append_time(view, header, now)
        elif header.attributes & layout.LOG_APPEND_TIME:
            clear_append_time(view, header)
        header.base_offset = base_offset = log.end_offset
        header.leader_epoch = self.leader_epoch
        layout.BASE_OFFSET.pack_into(view, 0, base_offset)
        layout.LEADER_EPOCH.pack_into(view, layout.LEADER_EPOCH_AT, header.leader_epoch)
        self.write(header, view, expected_from)
        if guard is not None:
            self.transactions.guards.end(header.producer_id)
        metrics = self.metrics
        metrics.bytesin += len(view)
        metrics.messagesin += header.record_count
        end_offset = log.end_offset
        if rules.flushes_before_ack:
            self.durability.flush_soon()
        else:
            self.durability.durable_end = end_offset
            self.advance_high_watermark(end_offset)
            if end_offset - log.recovery_point >= rules.flush_records:
                self.durability.flush_soon()
        return Appended(base_offset, end_offset, now if rules.stamps_append_time else -1, log.start_offset)

    def write(self, header: BatchHeader, view: memoryview, expected_from: ProducerState | None = None) -> None:
        try:
            self.log.append(((header, view),), expected_from)
        except KafkaStorageError as error:
            self.leadership.resign(error)
            raise

    def _append_to_stopped(self, header: BatchHeader, trouble: Trouble, by_coordinator: bool) -> Appended:
        """The log takes no more, and tells so whatever comes, but for what it has already. This broker may know nothing
        of its successor yet, and what that has taken since is no gap: told that its batch is out of order, a producer
        begins a new epoch, and sends again what the successor has.
        """
        if header.producer_id >= 0 and not trouble.stops_reads and not by_coordinator:
            duplicate = self.log.producers.find_duplicate(header)
            if duplicate is not None:
                return self._duplicate(duplicate)
        refusal = trouble.refusal()
        self.leadership.resign(refusal)
        raise refusal

    def _duplicate(self, duplicate: Duplicate) -> Appended:
        return Appended(
            base_offset=duplicate.base_offset,
            next_offset=0 if self.bugs.acknowledges_duplicates_at_once else duplicate.last_offset + 1,
            log_append_time_ms=duplicate.timestamp,
            log_start_offset=self.log.start_offset,
        )

    def acknowledged(self, appended: Appended, *, acks: int) -> Promise[None] | None:
        """A promise of when the batch may be acknowledged, or None when it may be at once.

        A leader that flushes before it acknowledges counts itself only then, so acks=1 waits there as well.
        """
        if appended.next_offset <= self.high_watermark or acks == 0:
            return None
        if acks != ALL:
            if not self.rules.flushes_before_ack or appended.next_offset <= self.durability.durable_end:
                return None
            self.durability.flush_soon()
            return self.waiters.durable.wait_for(appended.next_offset)
        if self.rules.flushes_before_ack:
            self.durability.flush_soon()  # a batch sent again, whose own flush failed, would wait for the next append's
        return self.waiters.committed.wait_for(appended.next_offset)

    def delete_records(self, before: int) -> int:
        """Move the log's start; -1 means to the high watermark. Answers the new start. On a full disk too: that is what
        makes room.
        """
        if self.is_internal:
            raise InvalidTopic(f"{self.topic} is kept by the broker itself, which needs every record in it")
        if "delete" not in self.config[settings.CLEANUP_POLICY]:
            raise PolicyViolation(f"{self.topic} is compacted only: its cleanup.policy has no delete")
        return self.cut_beginning(before)

    def cut_beginning(self, before: int) -> int:
        """As `delete_records`, for the coordinator whose internal topic it is."""
        if not self.is_leader:
            raise NotLeaderOrFollower(f"{self.topic_partition} is led by broker {self.leader}")
        target = self.high_watermark if before == -1 else before
        if self.inspector is not None:
            self.inspector.check_deletion(target)
        if target < 0 or target > self.high_watermark:
            raise OffsetOutOfRange(f"{target} is not within [0, {self.high_watermark}]")
        trouble = self.log.trouble
        if trouble is not None and not trouble.may_pass:
            raise trouble.refusal()
        if target > self.log.start_offset:
            self.log.retention.advance_start(target)
        self.waiters.tell_moved()
        return self.log.start_offset

    def is_idle_at(self, offset: int, current_leader_epoch: int, committed_only: bool) -> bool:
        """Whether a fetch there finds nothing new and nothing wrong: what `require_leader` and `reader.read` would come
        to, in a fifth of the time, for the many partitions of a fetch in which nothing happens.
        """
        log = self.log
        return (
            (
                offset == self.high_watermark
                or (committed_only and self.last_stable_offset <= offset <= self.high_watermark)
            )
            and self.leader == self.broker_id
            and (current_leader_epoch == self.leader_epoch or current_leader_epoch < 0)
            and log.trouble is None
            and offset >= log.start_offset
        )

    # High watermark ---------------------------------------------------------------------------------------------

    def advance_high_watermark(self, own_end: int) -> None:
        """What of this broker's own log counts has moved: followers have something to fetch, and perhaps all have had
        it.
        """
        waiters = self.waiters
        if waiters.end_watchers:
            waiters.tell_end()
        role = self.role
        if type(role) is not Leader:
            return
        if role.is_alone and own_end >= role.high_watermark:  # as `appended`, for most partitions there are
            role.end = role.high_watermark = own_end
        else:
            role.appended(own_end)
        if role.high_watermark > self.high_watermark:
            self.take_high_watermark(role.high_watermark)

    def take_high_watermark(self, high_watermark: int) -> None:
        if high_watermark <= self.high_watermark:
            return
        # The log keeps a copy: for its checkpoint, and as the limit of retention.
        log, waiters = self.log, self.waiters
        self.high_watermark = log.high_watermark = high_watermark
        log.producers.replicated_to(high_watermark)
        if waiters.committed.waiting:
            waiters.committed.release(high_watermark)
        if waiters.watchers:
            waiters.tell_moved()

    @property
    def last_stable_offset(self) -> int:
        """Below it every transaction is decided. Records may be deleted from under an open one: what is left of it is
        as undecided, but nothing below the log's start is anybody's business any more.
        """
        log = self.log
        stable = log.producers.last_stable_offset(self.high_watermark)
        return stable if stable >= log.start_offset else log.start_offset
