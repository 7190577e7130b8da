"""What ShareFetch and ShareAcknowledge have in common: who may ask, which partitions are meant, what is said of
records, and where to find a leader.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, READ_TOPIC
from penstock.access.subject import Subject
from penstock.cluster import SHARE_VERSION, ClusterImage
from penstock.coordinators.groups.share.request_checks import MEMBER_ID_CHARACTERS_MAX
from penstock.delivery.shares.service import ShareDelivery
from penstock.delivery.shares.sessions import SessionKey, SharedPartition
from penstock.delivery.shares.settling import RENEW, Said
from penstock.errors import (
    FencedLeaderEpoch,
    InvalidRequest,
    NotLeaderOrFollower,
    Refusal,
    TopicAuthorizationFailed,
    UnknownServerError,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model import TopicId
from penstock.replication import Partition, Partitions, Promise
from penstock.wire.produce import Endpoint

RENEW_FROM = 2
"""The version from which on members may ask for more time (KIP-1222)."""
_MOVED = (NotLeaderOrFollower.code, FencedLeaderEpoch.code)


class _Row(Protocol):
    first_offset: int
    last_offset: int
    acknowledge_types: list[int]


def session_key(
    group: str | None, member: str | None, image: ClusterImage, authorizer: Authorizer, subject: Subject
) -> SessionKey:
    """Whose session it is; refused where it cannot be anybody's."""
    image.features.require(SHARE_VERSION)
    if group is None:
        raise InvalidRequest("a share group has an id")
    authorizer.require(subject, READ_GROUP, group)
    if not member or len(member) > MEMBER_ID_CHARACTERS_MAX:
        raise InvalidRequest(f"a member id has 1 to {MEMBER_ID_CHARACTERS_MAX} characters")
    return SessionKey(group, member)


class SharePlaces:
    """Finds partitions for one request."""

    def __init__(
        self, partitions: Partitions, image: ClusterImage, authorizer: Authorizer, subject: Subject, listener: str
    ) -> None:
        self._partitions = partitions
        self._image = image
        self._authorizer = authorizer
        self._subject = subject
        self._listener = listener
        self._find = partitions.reading_finder(by_id=True)
        self._may: dict[TopicId, Refusal | None] = {}

    def find(self, shared: SharedPartition) -> Partition:
        """A Refusal where it is not for this subject, or not here. Whether this broker leads it is not asked."""
        refusal = self._refused(shared.topic_id)
        if refusal is not None:
            raise refusal
        local = self._find(shared.topic_id)
        partition = None if local is None else local.get(shared.number)
        if partition is None:
            if self._partitions.kept_elsewhere(shared.topic_id, shared.number, by_id=True) is not None:
                raise NotLeaderOrFollower("another broker keeps this partition")
            raise UnknownTopicOrPartition
        return partition

    def right_of(self, group: str) -> Callable[[str], None] | None:
        """Refuses a topic to who waits, as the rules may have changed since it asked. None where there are no rules."""
        authorizer, subject = self._authorizer, self._subject

        def require(topic: str) -> None:
            authorizer.require(subject, READ_GROUP, group)
            authorizer.require(subject, READ_TOPIC, topic)

        return require if authorizer.is_on else None

    def _refused(self, topic_id: TopicId) -> Refusal | None:
        """Asked for once a topic, however many of its partitions there are."""
        if topic_id not in self._may:
            topic = self._image.topics_by_id.get(topic_id)
            refusal: Refusal | None = None
            if topic is None:
                refusal = UnknownTopicId()
            elif not self._authorizer.allows(self._subject, READ_TOPIC, topic.name):
                refusal = TopicAuthorizationFailed()
            self._may[topic_id] = refusal
        return self._may[topic_id]

    def leader(self, shared: SharedPartition, refusal: Refusal) -> tuple[int, int] | None:
        """Leader and epoch, for whoever is told that this broker is not it (KIP-951)."""
        if refusal.code not in _MOVED:
            return None
        local = self._find(shared.topic_id)
        here = None if local is None else local.get(shared.number)
        known = here or self._partitions.kept_elsewhere(shared.topic_id, shared.number, by_id=True)
        return None if known is None or known.leader < 0 else (known.leader, known.leader_epoch)

    def endpoints(self, leaders: Iterable[int]) -> Sequence[Endpoint]:
        return self._partitions.endpoints(leaders, listener=self._listener)


def said_of(rows: Sequence[_Row], *, version: int, renews: bool) -> list[Said]:
    """What a member says of a partition; InvalidRequest where it makes no sense, whatever the records."""
    kind_max = RENEW if version >= RENEW_FROM else RENEW - 1
    said, before = list[Said](), -1
    for row in rows:
        types = row.acknowledge_types
        if not before <= row.first_offset <= row.last_offset:
            raise InvalidRequest("acknowledgements come in the order of their offsets")
        if not types or (len(types) > 1 and len(types) != row.last_offset - row.first_offset + 1):
            raise InvalidRequest("one acknowledgement type for all records, or one for each")
        if min(types) < 0 or max(types) > kind_max or (RENEW in types and not renews):
            raise InvalidRequest("this acknowledgement type is none that may be used here")
        said.append(Said(row.first_offset, row.last_offset, types))
        before = row.last_offset
    return said


def acknowledge(
    shares: ShareDelivery,
    key: SessionKey,
    places: SharePlaces,
    shared: SharedPartition,
    said: Sequence[Said] | Refusal,
    *,
    leaves: bool,
) -> Promise[Refusal | None]:
    """A promise of what the member is told of it: None where it was kept."""
    told: Promise[Refusal | None] = Promise()
    try:
        partition = places.find(shared)
        if isinstance(said, Refusal):
            raise said
    except Refusal as refusal:
        told.set_result(refusal)
        return told
    if not said:
        told.set_result(None)
        return told
    kept = shares.acknowledge(key, shared, partition, said, leaves=leaves)
    kept.add_done_callback(lambda done: told.set_result(_told(done.exception())))
    return told


def _told(error: BaseException | None) -> Refusal | None:
    return error if error is None or isinstance(error, Refusal) else UnknownServerError()
