"""Fetch sessions (KIP-227): a fetcher names its partitions once and then only what changes.

A session keeps, for each partition, what the fetcher asks and what it was last told; an incremental answer carries only
partitions that have records, an error, or a changed high watermark or start. Bounded by
`max.incremental.fetch.session.cache.slots` and `PARTITIONS_MAX`: when full, a session unused for `EVICT_AFTER_S` makes
room, else the fetcher is served without a session, as it can always be.
"""

from collections import OrderedDict

from penstock.access.principal import ANONYMOUS, Principal
from penstock.errors import FetchSessionIdNotFound, FetchSessionTopicIdError, InvalidFetchSessionEpoch
from penstock.model import Clock, Dice
from penstock.replication import Partition
from penstock.wire.fetch import (
    EPOCH_MAX,
    FINAL_EPOCH,
    FULL_EPOCH,
    NO_SESSION,
    TOPIC_IDS_FROM,
    FetchPartition,
    FetchRequest,
    PartitionAnswer,
)
from penstock.wire.produce import TopicKey

EVICT_AFTER_S = 120.0
PARTITIONS_MAX = 500_000
"""Partitions that all sessions remember together, a few hundred bytes each."""

TOPIC_BYTES_MAX = 249
"""A topic's name has so many at most, and an id fewer: what is longer is unknown today and for ever, and not kept."""

Asked = list[tuple[TopicKey, FetchPartition]]


class CachedPartition:
    __slots__ = ("asked", "high_watermark", "log_start_offset")

    def __init__(self, asked: FetchPartition) -> None:
        self.asked = asked
        self.high_watermark = -1
        self.log_start_offset = -1


class FetchSession:
    def __init__(self, session_id: int, owner: Principal, *, uses_topic_ids: bool, now: float) -> None:
        self.id = session_id
        self.owner = owner
        self.epoch = 1
        self.uses_topic_ids = uses_topic_ids
        self.last_used = now
        # In the order in which they are served; those that got records go to the end, so that none starves.
        self.partitions: OrderedDict[tuple[TopicKey, int], CachedPartition] = OrderedDict()

    def update(self, request: FetchRequest) -> None:
        for key, asked in request.topics:
            for partition in asked:
                cached = self.partitions.get((key, partition.index))
                if cached is None:
                    self.partitions[key, partition.index] = CachedPartition(partition)
                else:
                    cached.asked = partition
        for key, forgotten in request.forgotten:
            for index in forgotten:
                self.partitions.pop((key, index), None)

    def asked(self) -> Asked:
        return [(key, cached.asked) for (key, _index), cached in self.partitions.items()]

    def knows(self, key: TopicKey, partition: Partition) -> bool:
        """Whether an incremental answer may leave out a partition that has neither records nor an error."""
        cached = self.partitions.get((key, partition.index))
        return (
            cached is not None
            and cached.high_watermark == partition.high_watermark
            and cached.log_start_offset == partition.start_offset
        )

    def changed(self, key: TopicKey, answer: PartitionAnswer) -> bool:
        """Whether an incremental answer must mention this partition; remembers what it is told."""
        cached = self.partitions.get((key, answer.index))
        if cached is None:
            return True
        must = (
            answer.error_code != 0
            or answer.high_watermark != cached.high_watermark
            or answer.log_start_offset != cached.log_start_offset
            or answer.preferred_read_replica >= 0
            or answer.diverging_epoch is not None
        )
        # An error is told again and again until it is gone.
        cached.high_watermark = -1 if answer.error_code else answer.high_watermark
        cached.log_start_offset = answer.log_start_offset
        if answer.records is not None:
            self.partitions.move_to_end((key, answer.index))
            must = True
        return must


class FetchSessions:
    def __init__(self, *, slots_max: int, clock: Clock, dice: Dice) -> None:
        self._slots_max = slots_max
        self._clock = clock
        self._dice = dice
        # Least recently used first.
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()
        self._partitions = 0
        self.evictions = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(
        self, request: FetchRequest, api_version: int, owner: Principal = ANONYMOUS
    ) -> tuple[FetchSession | None, bool]:
        """The session of this request, if any, and whether its answer is to be incremental. Another's session is none:
        its id may be guessed, and it names topics.
        """
        session = self._sessions.get(request.session_id)
        if session is not None and session.owner != owner:
            session = None
        if request.session_epoch in (FULL_EPOCH, FINAL_EPOCH):
            if session is not None:
                self._end(session.id)
            if request.session_epoch == FINAL_EPOCH:
                return None, False
            return self._create(request, api_version, owner), False
        if session is None:
            raise FetchSessionIdNotFound(f"no fetch session {request.session_id} here")
        if request.session_epoch != session.epoch:
            raise InvalidFetchSessionEpoch(
                f"session {session.id} is at epoch {session.epoch}, not {request.session_epoch}"
            )
        if session.uses_topic_ids != (api_version >= TOPIC_IDS_FROM):
            raise FetchSessionTopicIdError(f"session {session.id} was begun with another way to name topics")
        self._update(session, request)
        if not session.partitions:  # nothing left to ask for: the fetcher begins anew
            self._end(session.id)
            return None, False
        session.epoch = session.epoch + 1 if session.epoch < EPOCH_MAX else 1
        session.last_used = self._clock.monotonic()
        self._sessions.move_to_end(session.id)
        return session, True

    def _create(self, request: FetchRequest, api_version: int, owner: Principal) -> FetchSession | None:
        now = self._clock.monotonic()
        partitions = sum(len(asked) for _, asked in request.topics)
        if not partitions or _is_absurd(request) or not self._make_room(now, partitions):
            return None
        session = FetchSession(self._new_id(), owner, uses_topic_ids=api_version >= TOPIC_IDS_FROM, now=now)
        self._sessions[session.id] = session
        self._update(session, request)
        return session

    def _update(self, session: FetchSession, request: FetchRequest) -> None:
        before = len(session.partitions)
        session.update(request)
        self._partitions += len(session.partitions) - before
        if self._partitions > PARTITIONS_MAX or _is_absurd(request):
            self._end(session.id)
            raise FetchSessionIdNotFound(f"session {session.id} has grown beyond what is kept here")

    def forget(self, session: FetchSession) -> None:
        self._end(session.id)

    def _end(self, session_id: int) -> None:
        gone = self._sessions.pop(session_id, None)
        if gone is not None:
            self._partitions -= len(gone.partitions)

    def _make_room(self, now: float, partitions: int) -> bool:
        while len(self._sessions) >= self._slots_max or self._partitions + partitions > PARTITIONS_MAX:
            oldest = next(iter(self._sessions.values()), None)
            if oldest is None or now - oldest.last_used < EVICT_AFTER_S:
                return False
            self._end(oldest.id)
            self.evictions += 1
        return True

    def _new_id(self) -> int:
        while True:
            session_id = int.from_bytes(self._dice.random_bytes(4), "big") & 0x7FFFFFFF
            if session_id != NO_SESSION and session_id not in self._sessions:
                return session_id


def _is_absurd(request: FetchRequest) -> bool:
    return any(len(key) > TOPIC_BYTES_MAX for key, _ in request.topics)
