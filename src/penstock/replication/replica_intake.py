"""Takes in what a leader answers: records are appended from the memory they were received into, logs are cut.

A partition for itself may be busy: being flushed, so that the leader learns of records only when they are on disk
(RULES 20), cut, or backing off after a refusal. The others go on.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

import structlog

from penstock.errors import (
    CorruptMessage,
    FencedLeaderEpoch,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    Refusal,
    ReplicaNotAvailable,
    UnknownLeaderEpoch,
    UnknownTopicId,
    UnknownTopicOrPartition,
    error_name,
)
from penstock.model import BrokerId
from penstock.replication.followed_partition import FollowedPartition
from penstock.replication.follower_cuts import FollowerCuts
from penstock.replication.follower_session import FollowerSession
from penstock.replication.machine import Diverging
from penstock.replication.throttle import PAUSE_S, Throttle
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.wire.replica_fetch import FetchedPartition

BACKOFF_FIRST_S: Final = 0.01

_SHORTLY = (
    FencedLeaderEpoch.code,
    UnknownLeaderEpoch.code,
    NotLeaderOrFollower.code,
    ReplicaNotAvailable.code,
    UnknownTopicId.code,
    UnknownTopicOrPartition.code,
)
"""One of the two has not acted on the image's newest yet, or the leader has lost track of this follower: no reason for
a word in the log, unless it goes on.
"""

_log = structlog.get_logger(__name__)


class ReplicaIntake:
    def __init__(
        self,
        session: FollowerSession,
        leader: BrokerId,
        *,
        me: BrokerId,
        config: Config,
        throttle: Throttle,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        send_soon: Callable[[], None],
    ) -> None:
        self._session = session
        self._leader = leader
        self._me = me
        self._config = config
        self._throttle = throttle
        self._spawn = spawn
        self._send_soon = send_soon
        self.cuts = FollowerCuts(session, leader, spawn=spawn, on_cut=self.flush_or_name, on_failed=self._not_taken)

    @property
    def backoff_max_s(self) -> float:
        return self._config[settings.REPLICA_FETCH_BACKOFF_MS] / 1000

    def take_in(self, place: FollowedPartition, answer: FetchedPartition) -> None:
        try:
            if answer.error_code == OffsetOutOfRange.code and answer.log_start_offset >= 0:
                self.cuts.cut_or_wait(place, answer.log_start_offset)
            elif answer.error_code:
                self._refused(place, answer)
            elif answer.diverging_epoch >= 0:
                diverging = Diverging(answer.diverging_epoch, answer.diverging_end_offset)
                log = place.partition.follower_log
                self.cuts.cut_or_wait(place, log.where_to_part(diverging, leaders_start=answer.log_start_offset))
            else:
                self._append(place, answer)
        except Exception as error:
            self._not_taken(place, error)

    def _not_taken(self, place: FollowedPartition, error: Exception) -> None:
        """A log that takes no more records, or a batch that is damaged: asked for again, after a pause. Whatever it is,
        it is this partition's: the connection is for the others too.
        """
        partition = place.partition
        is_bug = not isinstance(error, (Refusal, OSError))
        name, reason = str(partition.topic_partition), str(error) or type(error).__name__
        _log.log(
            logging.ERROR if is_bug else logging.WARNING,
            "not replicated",
            partition=name,
            reason=reason,
            exc_info=is_bug,
        )
        partition.leadership.leave_in_sync()
        self._back_off(place, shortly=isinstance(error, CorruptMessage))

    def _append(self, place: FollowedPartition, answer: FetchedPartition) -> None:
        partition, log = place.partition, place.partition.log
        if not place.is_agreed:
            if partition.follower_log.is_unshared(log.end_offset, leaders_start=answer.log_start_offset):
                self.cuts.cut_or_wait(place, answer.log_start_offset)
                return
            place.is_agreed = True
        start_before = log.start_offset
        records = answer.records
        counts = partition.follower_log.append(records) if records is not None else True
        partition.follower_log.take_over(
            leaders_high_watermark=answer.high_watermark, leaders_start=answer.log_start_offset
        )
        place.lag = max(answer.high_watermark - log.end_offset, 0)
        place.backoff_s = 0.0
        if records is not None and self._me not in partition.in_sync:
            self._throttled(place, len(records))
        if place.is_busy:
            return
        if not counts:
            self.flush_or_name(place)
        elif records is not None or log.start_offset != start_before:
            self._session.named[place] = None

    def _throttled(self, place: FollowedPartition, size: int) -> None:
        """A replica that catches up may have used up what it may have: it is asked for again when there is more."""
        if self._throttle.concerns(place.partition, self._me):
            self._throttle.use(size)
            if self._throttle.is_used_up():
                place.is_busy = True
                self._wait(place, PAUSE_S)

    def _wait_on(self, place: FollowedPartition) -> None:
        if self._throttle.concerns(place.partition, self._me) and self._throttle.is_used_up():
            self._wait(place, PAUSE_S)
        else:
            self.flush_or_name(place)

    def _wait(self, place: FollowedPartition, pause_s: float) -> None:
        place.retry = asyncio.get_running_loop().call_later(pause_s, self._wait_on, place)

    def _refused(self, place: FollowedPartition, answer: FetchedPartition) -> None:
        partition = place.partition
        was_patient = place.backoff_s >= self.backoff_max_s
        self._back_off(place, shortly=True)
        goes_on = place.backoff_s >= self.backoff_max_s and not was_patient
        if goes_on or answer.error_code not in _SHORTLY:
            name = error_name(answer.error_code)
            _log.info("fetch refused", partition=str(partition.topic_partition), leader=self._leader, error=name)

    def _back_off(self, place: FollowedPartition, *, shortly: bool) -> None:
        place.is_busy = True
        if place.retry is not None:
            place.retry.cancel()
        first_s = BACKOFF_FIRST_S if shortly else self.backoff_max_s
        place.backoff_s = min(max(2 * place.backoff_s, first_s), self.backoff_max_s)
        self._wait(place, place.backoff_s)

    # On disk first ----------------------------------------------------------------------------------------------

    def flush_or_name(self, place: FollowedPartition) -> None:
        place.retry = None
        if place.partition.log.trouble is not None:
            self._back_off(place, shortly=False)  # what is asked for could not be kept
        elif place.partition.follower_log.is_flushed:
            self._name(place)
        else:
            place.is_busy = True
            self._spawn(self._flush(place))

    async def _flush(self, place: FollowedPartition) -> None:
        try:
            await place.partition.follower_log.flush()
        except Refusal as refusal:
            partition = place.partition
            _log.warning("not flushed", partition=str(partition.topic_partition), reason=refusal.message)
            partition.leadership.leave_in_sync()
            if self._session.has(place):
                self._back_off(place, shortly=False)
            return
        if self._session.has(place):
            self.flush_or_name(place)  # more may have come meanwhile

    def _name(self, place: FollowedPartition) -> None:
        place.is_busy = False
        self._session.named[place] = None
        self._send_soon()
