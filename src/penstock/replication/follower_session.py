"""A follower's fetch session at its leader: what each request names, and which answers tell of what.

A partition is named in the session when it is new, and each time something of it was taken in; in between it costs
nothing. While a fetch is parked at the leader a second one may follow, which makes the leader answer the first: so a
partition that is new here need not wait.

Answers come in the order of the questions. One that was asked before a partition came to be followed in this epoch, or
before this session, tells of another log, here or there: it is not taken in, whatever it says.
"""

from typing import Final

from penstock.errors import ReplicaNotAvailable
from penstock.model import BrokerId
from penstock.replication.followed_partition import NOT_ASKED, FollowedPartition, Key
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.wire.fetch import FetchPartition
from penstock.wire.replica_fetch import FetchedPartition, encode_request

IN_FLIGHT_MAX: Final = 2


class FollowerSession:
    def __init__(self, leader: BrokerId, *, me: BrokerId, config: Config) -> None:
        self.places: dict[Key, FollowedPartition] = {}
        self._leader = leader
        self._me = me
        self._config = config
        self.begin()

    def begin(self) -> None:
        """On a new connection: nothing was asked there yet."""
        self.in_flight = 0
        self.answered = 0
        self.named: dict[FollowedPartition, None] = {}
        """What the next request names."""
        self._id = self._epoch = 0
        self._of = -1
        """This broker's registration under which the session was begun."""
        self._from = 0
        """The request that began it: earlier answers are of the session before."""
        self._correlation_id = 0
        self._forgotten: dict[Key, None] = {}
        self._ask_all_anew()

    def _ask_all_anew(self) -> None:
        for place in self.places.values():
            place.asked_in = NOT_ASKED

    # Which partitions -------------------------------------------------------------------------------------------

    def add(self, place: FollowedPartition) -> None:
        self.places[place.key] = place
        self._forgotten.pop(place.key, None)

    def forget(self, place: FollowedPartition) -> None:
        self.drop(place)
        self._forgotten[place.key] = None

    def drop(self, place: FollowedPartition) -> None:
        del self.places[place.key]
        self.named.pop(place, None)
        if place.retry is not None:
            place.retry.cancel()

    def has(self, place: FollowedPartition) -> bool:
        """Whether it is still followed, in this epoch."""
        return self.places.get(place.key) is place

    # Asking -----------------------------------------------------------------------------------------------------

    def next_request(self, own_epoch: int) -> bytearray | None:
        """The frame of the next fetch; None while there is nothing to ask, or no room for it. `own_epoch` is that of
        this broker's registration.
        """
        if self.in_flight >= IN_FLIGHT_MAX:
            return None
        if own_epoch != self._of:
            self._begin_under(own_epoch)
        elif self._epoch and not self._id:
            return None  # the session is about to begin: its number comes with the first answer, at once
        elif self.in_flight and not self.named:
            return None
        self._correlation_id += 1
        frame = self._encoded(own_epoch)
        self.named, self._forgotten = {}, {}
        self._epoch = self._epoch + 1 if self._epoch < 0x7FFFFFFF else 1
        self.in_flight += 1
        return frame

    def _begin_under(self, own_epoch: int) -> None:
        self._id = self._epoch = 0
        self._of = own_epoch
        self._from = self._correlation_id + 1
        self._ask_all_anew()
        self.named = {place: None for place in self.places.values() if not place.is_busy}
        self._forgotten.clear()

    def _encoded(self, own_epoch: int) -> bytearray:
        config = self._config
        asked: dict[bytes, list[FetchPartition]] = {}
        bytes_max = config[settings.REPLICA_FETCH_MAX_BYTES]
        for place in self.named:
            place.asked_in = place.asked_in or self._correlation_id
            asked.setdefault(place.key[0], []).append(_asked(place, bytes_max))
        forgotten: dict[bytes, list[int]] = {}
        for topic_id, index in self._forgotten:
            forgotten.setdefault(topic_id, []).append(index)
        return encode_request(
            correlation_id=self._correlation_id & 0x7FFFFFFF,
            replica_id=self._me,
            replica_epoch=own_epoch,
            wait_ms_max=config[settings.REPLICA_FETCH_WAIT_MAX_MS],
            bytes_min=config[settings.REPLICA_FETCH_MIN_BYTES],
            bytes_max=config[settings.REPLICA_FETCH_RESPONSE_MAX_BYTES],
            session_id=self._id,
            session_epoch=self._epoch,
            asked=asked,
            forgotten=forgotten,
        )

    # Answers ----------------------------------------------------------------------------------------------------

    def learn(self, session_id: int) -> None:
        """From an answer that is no refusal."""
        if self.answered >= self._from:
            if not session_id:  # nothing more could be asked: that waits for the number of a session
                raise ReplicaNotAvailable("the leader has not heard of this broker's registration yet")
            self._id = session_id

    def told_of(self, answer: FetchedPartition) -> FollowedPartition | None:
        """What a part of the last answer is about, if it tells of it as it is."""
        place = self.places.get((answer.topic_id, answer.index))
        if place is not None and place.is_answered_by(self.answered) and place.is_current(self._leader):
            return place
        return None


def _asked(place: FollowedPartition, bytes_max: int) -> FetchPartition:
    partition = place.partition
    offset, last_epoch = partition.follower_log.place()
    return FetchPartition(
        index=partition.index,
        offset=offset,
        bytes_max=bytes_max,
        current_leader_epoch=place.epoch,
        last_fetched_epoch=last_epoch,
        log_start_offset=partition.log.start_offset,
        high_watermark=partition.high_watermark,
    )
