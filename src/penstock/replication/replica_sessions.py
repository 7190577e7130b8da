"""Fetch as a leader answers its followers: one session a follower, and who may have one.

A follower has one fetcher for each leader, so one session is enough. The session itself is in replica_session.py.
"""

from collections.abc import Callable

from penstock.cluster import ClusterImage
from penstock.errors import (
    ClusterAuthorizationFailed,
    FetchSessionIdNotFound,
    InvalidFetchSessionEpoch,
    NotLeaderOrFollower,
)
from penstock.model import BrokerId, Dice
from penstock.replication.partitions import Partitions
from penstock.replication.replica_session import FetchOutcome, FetchReply, ReplicaSession
from penstock.replication.session_ports import AfterReceivePort, DeadlinesPort
from penstock.replication.throttle import Throttle
from penstock.wire.fetch import (
    EPOCH_MAX,
    FINAL_EPOCH,
    FULL_EPOCH,
    NO_SESSION,
    FetchRequest,
    PartitionAnswer,
    encode_response,
)


class ReplicaSessions:
    def __init__(
        self,
        partitions: Partitions,
        image: ClusterImage,
        dice: Dice,
        *,
        afterwards: AfterReceivePort,
        deadlines: DeadlinesPort,
        throttle: Throttle,
        needs_authentication: Callable[[], bool],
        on_lost: Callable[[BrokerId], None] = lambda _broker: None,
    ) -> None:
        """`on_lost` hears of a follower whose connection broke while its fetch was parked."""
        self._on_lost = on_lost
        self._afterwards = afterwards
        self._deadlines = deadlines
        self._throttle = throttle
        self._partitions = partitions
        self._image = image
        self._dice = dice
        self._needs_authentication = needs_authentication
        self._sessions: dict[BrokerId, ReplicaSession] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def fetch(self, request: FetchRequest, version: int, *, proved: int) -> FetchOutcome:
        """`proved`: the broker that whoever asks has proved to be, -1 for none."""
        broker_id = BrokerId(request.replica_id)
        if not self._needs_authentication():
            if broker_id not in self._image.brokers:
                return _refused(request, version)  # whoever it is, there could be as many of them as there are numbers
        elif proved != broker_id:
            # A stranger's word must not move a high watermark (RULES 25).
            return encode_response(version, [], error_code=ClusterAuthorizationFailed.code)
        if request.session_epoch in (FULL_EPOCH, FINAL_EPOCH):
            # Answered at once: the follower needs the session's number before it can say more.
            return self._begin(broker_id).fetch(request, version, may_park=False)
        session = self._sessions.get(broker_id)
        if session is None or session.id != request.session_id:
            return encode_response(version, [], error_code=FetchSessionIdNotFound.code)
        if session.epoch != request.session_epoch:
            return encode_response(version, [], error_code=InvalidFetchSessionEpoch.code)
        session.epoch = session.epoch + 1 if session.epoch < EPOCH_MAX else 1
        return session.fetch(request, version, may_park=request.wait_ms_max > 0)

    def _begin(self, broker_id: BrokerId) -> ReplicaSession:
        former = self._sessions.pop(broker_id, None)
        if former is not None:
            former.end()
        session_id = NO_SESSION
        while session_id == NO_SESSION:
            session_id = int.from_bytes(self._dice.random_bytes(4), "big") & 0x7FFFFFFF
        session = self._sessions[broker_id] = ReplicaSession(
            session_id,
            broker_id,
            self._partitions,
            self._image,
            afterwards=self._afterwards,
            deadlines=self._deadlines,
            throttle=self._throttle,
            on_lost=self._on_lost,
        )
        return session


def _refused(request: FetchRequest, version: int) -> FetchReply:
    """To somebody who is no replica of anything."""
    answers = [
        (key, [PartitionAnswer(part.index, NotLeaderOrFollower.code) for part in parts])
        for key, parts in request.topics
    ]
    return encode_response(version, answers)
