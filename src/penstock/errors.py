"""Every way Penstock refuses a client, each class naming its Kafka code.

Raise the class that says what is wrong, with the particulars as its argument:
`raise FencedLeaderEpoch(f"{epoch} is older than {current}")`. Dispatch turns a Refusal into the answer's error code.
Any other exception is a bug: code -1 for the client, the stack for us. `Fatal` is for a broken invariant and stops the
process.

The codes, names and retriable flags are those of Apache Kafka 4.3; docs/reference/errors.md is made from this file.
"""

import re
from typing import ClassVar

NO_ERROR = 0
MESSAGE_MAX = 1_000
"""Characters of a refusal's text that a client is told."""

_BY_CODE: dict[int, type["Refusal"]] = {}


class Refusal(Exception):
    """A request, or a part of one, that is answered with an error code.

    A subclass that gives no code of its own is a finer case of its parent and shares the parent's code.
    """

    code: ClassVar[int]
    kafka_name: ClassVar[str]
    retriable: ClassVar[bool] = False

    def __init_subclass__(cls, *, code: int | None = None, retriable: bool = False, name: str | None = None) -> None:
        super().__init_subclass__()
        if code is None:
            if not hasattr(cls, "code"):
                raise TypeError(f"{cls.__name__} names no Kafka error code: class {cls.__name__}(Refusal, code=...)")
            return
        if code in _BY_CODE:
            raise TypeError(f"error code {code} is taken: {_BY_CODE[code].__name__} and {cls.__name__} both claim it")
        cls.code = code
        cls.retriable = retriable
        cls.kafka_name = name or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).upper()
        _BY_CODE[code] = cls

    @property
    def message(self) -> str:
        """What a person reads: the particulars if there are any, else what the class always means.

        Particulars may repeat what a client sent, which may be long: what goes on the wire has an end.
        """
        text = str(self.args[0]) if self.args else self.meaning()
        return text if len(text) <= MESSAGE_MAX else text[: MESSAGE_MAX - 1] + "…"

    @classmethod
    def meaning(cls) -> str:
        return (cls.__doc__ or cls.__name__).partition("\n")[0]


class Fatal(Exception):
    """An invariant does not hold: going on could harm data, so the process stops and is started anew."""


def refusal_for(code: int) -> type[Refusal]:
    """The class of an error code; an unknown code is taken for UNKNOWN_SERVER_ERROR, as Kafka's clients do."""
    return _BY_CODE.get(code, UnknownServerError)


def error_name(code: int) -> str:
    """Kafka's name of a code: error_name(6) is NOT_LEADER_OR_FOLLOWER."""
    return "NONE" if code == NO_ERROR else refusal_for(code).kafka_name


def all_refusals() -> list[type[Refusal]]:
    """Every class that has a code, by code."""
    return [_BY_CODE[code] for code in sorted(_BY_CODE)]


class UnknownServerError(Refusal, code=-1):
    """Something failed here that should not have; the broker's own log has the details."""


class OffsetOutOfRange(Refusal, code=1):
    """The partition holds no such offset: it lies before the log's start or after its end."""


class CorruptMessage(Refusal, code=2, retriable=True):
    """The batch is damaged: its checksum, size or structure is wrong, or a compacted topic got a keyless record."""


class UnknownTopicOrPartition(Refusal, code=3, retriable=True):
    """There is no such topic or partition here."""


class InvalidFetchSize(Refusal, code=4):
    """The fetch asks for a size that makes no sense."""


class LeaderNotAvailable(Refusal, code=5, retriable=True):
    """The partition has no leader at the moment: an election is under way."""


class NotLeaderOrFollower(Refusal, code=6, retriable=True):
    """This node does not lead the partition (any more), or holds no replica of it: refresh metadata and ask again."""


class RequestTimedOut(Refusal, code=7, retriable=True):
    """The work was not done within the time the request allows; it may still be done later."""


class BrokerNotAvailable(Refusal, code=8):
    """The broker that was asked about is not alive."""


class ReplicaNotAvailable(Refusal, code=9, retriable=True):
    """The replica that was asked about is not here."""


class MessageTooLarge(Refusal, code=10):
    """A batch is larger than the topic takes (max.message.bytes)."""


class StaleControllerEpoch(Refusal, code=11):
    """The sender's controller has been replaced by a later one."""


class OffsetMetadataTooLarge(Refusal, code=12):
    """The text committed beside an offset is longer than offset.metadata.max.bytes."""


class NetworkFailure(Refusal, code=13, retriable=True, name="NETWORK_EXCEPTION"):
    """The connection ended before the answer came."""


class CoordinatorLoadInProgress(Refusal, code=14, retriable=True):
    """The coordinator is still reading its state: ask again."""


class CoordinatorNotAvailable(Refusal, code=15, retriable=True):
    """There is no coordinator for this id at the moment."""


class NotCoordinator(Refusal, code=16, retriable=True):
    """Another node coordinates this id: find the coordinator again."""


class InvalidTopic(Refusal, code=17, name="INVALID_TOPIC_EXCEPTION"):
    """The topic's name is not allowed, or the operation is not for this kind of topic."""


class RecordListTooLarge(Refusal, code=18):
    """A batch is larger than a whole segment of the topic may be."""


class NotEnoughReplicas(Refusal, code=19, retriable=True):
    """Fewer replicas are in sync than min.insync.replicas asks for: nothing was written."""


class NotEnoughReplicasAfterAppend(Refusal, code=20, retriable=True):
    """The records were written, but the in-sync set has fallen below min.insync.replicas."""


class InvalidRequiredAcks(Refusal, code=21):
    """acks must be 0, 1 or all (-1)."""


class IllegalGeneration(Refusal, code=22):
    """The group has moved on to another generation."""


class InconsistentGroupProtocol(Refusal, code=23):
    """The member shares no assignment protocol with the group, or named none."""


class InvalidGroupId(Refusal, code=24):
    """The group id is not one that can be used here."""


class UnknownMemberId(Refusal, code=25):
    """The group has no such member."""


class InvalidSessionTimeout(Refusal, code=26):
    """The session timeout lies outside the broker's bounds (group.min and group.max.session.timeout.ms)."""


class RebalanceInProgress(Refusal, code=27):
    """The group is rebalancing: join again."""


class InvalidCommitOffsetSize(Refusal, code=28):
    """The commit is too large to be kept as one record."""


class TopicAuthorizationFailed(Refusal, code=29):
    """The principal may not do this to the topic."""


class GroupAuthorizationFailed(Refusal, code=30):
    """The principal may not do this to the group."""


class ClusterAuthorizationFailed(Refusal, code=31):
    """The principal may not do this to the cluster."""


class InvalidTimestamp(Refusal, code=32):
    """A record's timestamp is further from the broker's clock than the topic allows."""


class UnsupportedSaslMechanism(Refusal, code=33):
    """The listener does not offer this SASL mechanism."""


class IllegalSaslState(Refusal, code=34):
    """This request cannot come at this point of the SASL exchange."""


class UnsupportedVersion(Refusal, code=35):
    """The API is not offered in this version."""


class TopicAlreadyExists(Refusal, code=36):
    """A topic of this name already exists."""


class InvalidPartitions(Refusal, code=37):
    """The number of partitions is not one a topic can have, or not more than it has now."""


class InvalidReplicationFactor(Refusal, code=38):
    """The replication factor is below one or above the number of live brokers."""


class InvalidReplicaAssignment(Refusal, code=39):
    """The replica assignment names unknown brokers, repeats one or leaves partitions out."""


class InvalidConfig(Refusal, code=40):
    """A setting is unknown here or its value is not allowed."""


class NotController(Refusal, code=41, retriable=True):
    """Another node is the controller."""


class InvalidRequest(Refusal, code=42):
    """The request contradicts itself or the protocol."""


class UnsupportedForMessageFormat(Refusal, code=43):
    """Records in the stored format cannot do what was asked."""


class PolicyViolation(Refusal, code=44):
    """A policy of this cluster forbids the request."""


class OutOfOrderSequence(Refusal, code=45, name="OUT_OF_ORDER_SEQUENCE_NUMBER"):
    """The producer's batch does not follow the last one seen: batches between are missing."""


class DuplicateSequence(Refusal, code=46, name="DUPLICATE_SEQUENCE_NUMBER"):
    """The producer's batch was written before, too long ago for its offset to be remembered."""


class InvalidProducerEpoch(Refusal, code=47):
    """The producer's epoch is older than the one in use."""


class InvalidTxnState(Refusal, code=48):
    """The transaction is not in a state that allows this."""


class InvalidProducerIdMapping(Refusal, code=49):
    """The producer id does not belong to this transactional id."""


class InvalidTransactionTimeout(Refusal, code=50):
    """The transaction timeout is above transaction.max.timeout.ms."""


class ConcurrentTransactions(Refusal, code=51, retriable=True):
    """The transaction is still busy with an earlier request: ask again."""


class TransactionCoordinatorFenced(Refusal, code=52):
    """A newer transaction coordinator has already written for this producer."""


class TransactionalIdAuthorizationFailed(Refusal, code=53):
    """The principal may not use this transactional id."""


class SecurityDisabled(Refusal, code=54):
    """No authorizer is set up on this cluster."""


class OperationNotAttempted(Refusal, code=55):
    """Not tried, because another part of the same request failed."""


class KafkaStorageError(Refusal, code=56, retriable=True):
    """The disk or the files below this partition failed: its log is offline here."""


class LogDirNotFound(Refusal, code=57):
    """The data folder is not one of this broker's log.dirs."""


class SaslAuthenticationFailed(Refusal, code=58):
    """The credentials were not accepted."""


class UnknownProducerId(Refusal, code=59):
    """Nothing is known here about this producer id (any more)."""


class ReassignmentInProgress(Refusal, code=60):
    """The partition is being moved: wait until that is over."""


class DelegationTokenAuthDisabled(Refusal, code=61):
    """Delegation tokens are not turned on."""


class DelegationTokenNotFound(Refusal, code=62):
    """There is no such delegation token."""


class DelegationTokenOwnerMismatch(Refusal, code=63):
    """The principal neither owns this delegation token nor may renew it."""


class DelegationTokenRequestNotAllowed(Refusal, code=64):
    """Delegation tokens cannot be asked for over a connection authenticated this way."""


class DelegationTokenAuthorizationFailed(Refusal, code=65):
    """The principal may not do this to delegation tokens."""


class DelegationTokenExpired(Refusal, code=66):
    """The delegation token has expired."""


class InvalidPrincipalType(Refusal, code=67):
    """Principals of this type are not known here."""


class NonEmptyGroup(Refusal, code=68):
    """The group still has members."""


class GroupIdNotFound(Refusal, code=69):
    """There is no such group."""


class FetchSessionIdNotFound(Refusal, code=70, retriable=True):
    """The fetch session is unknown or was evicted: begin a new one."""


class InvalidFetchSessionEpoch(Refusal, code=71, retriable=True):
    """The fetch session has moved on to another epoch: begin a new one."""


class ListenerNotFound(Refusal, code=72, retriable=True):
    """The leader has no listener of the name this request came in on."""


class TopicDeletionDisabled(Refusal, code=73):
    """Deleting topics is turned off (delete.topic.enable)."""


class FencedLeaderEpoch(Refusal, code=74, retriable=True):
    """The leader epoch in the request is older than the current one: refresh metadata."""


class UnknownLeaderEpoch(Refusal, code=75, retriable=True):
    """The leader epoch in the request is newer than any known here: ask again."""


class UnsupportedCompressionType(Refusal, code=76):
    """The records are compressed in a way that this version of the request cannot carry."""


class StaleBrokerEpoch(Refusal, code=77):
    """The broker has registered again since: its former epoch counts no more."""


class OffsetNotAvailable(Refusal, code=78, retriable=True):
    """A new leader's high watermark has not reached its epoch's start yet: ask again."""


class MemberIdRequired(Refusal, code=79):
    """Join again with the member id that this answer gives."""


class PreferredLeaderNotAvailable(Refusal, code=80, retriable=True):
    """The preferred leader is not alive or not in sync."""


class GroupMaxSizeReached(Refusal, code=81):
    """The group has as many members as it may have."""


class FencedInstanceId(Refusal, code=82):
    """Another member has taken over this group.instance.id."""


class EligibleLeadersNotAvailable(Refusal, code=83, retriable=True):
    """None of the replicas that could lead is available."""


class ElectionNotNeeded(Refusal, code=84, retriable=True):
    """The partition already has the leader that was asked for."""


class NoReassignmentInProgress(Refusal, code=85):
    """The partition is not being moved."""


class GroupSubscribedToTopic(Refusal, code=86):
    """The group is subscribed to the topic, so its offsets there cannot be deleted."""


class InvalidRecord(Refusal, code=87):
    """A record breaks a rule of its topic or of the batch it is in."""


class UnstableOffsetCommit(Refusal, code=88, retriable=True):
    """Offsets of an open transaction are not settled yet: ask again."""


class ThrottlingQuotaExceeded(Refusal, code=89, retriable=True):
    """The quota for such changes is used up: wait for the throttle time."""


class ProducerFenced(Refusal, code=90):
    """A newer producer has taken over this transactional id."""


class ResourceNotFound(Refusal, code=91):
    """The request names something that does not exist."""


class DuplicateResource(Refusal, code=92):
    """The request names the same thing twice."""


class UnacceptableCredential(Refusal, code=93):
    """The credential does not meet this cluster's demands."""


class InconsistentVoterSet(Refusal, code=94):
    """Sender and receiver disagree about who may vote."""


class InvalidUpdateVersion(Refusal, code=95):
    """The version asked for is not one the feature can be set to."""


class FeatureUpdateFailed(Refusal, code=96):
    """The features could not be updated."""


class PrincipalDeserializationFailure(Refusal, code=97):
    """The principal in a forwarded request cannot be read."""


class SnapshotNotFound(Refusal, code=98):
    """There is no such snapshot."""


class PositionOutOfRange(Refusal, code=99):
    """The position lies outside the snapshot."""


class UnknownTopicId(Refusal, code=100, retriable=True):
    """There is no topic with this id here."""


class DuplicateBrokerRegistration(Refusal, code=101):
    """A live broker already uses this broker id."""


class BrokerIdNotRegistered(Refusal, code=102):
    """No broker is registered under this id."""


class InconsistentTopicId(Refusal, code=103, retriable=True):
    """The log here belongs to another topic id than the request names."""


class InconsistentClusterId(Refusal, code=104):
    """The request is meant for another cluster."""


class TransactionalIdNotFound(Refusal, code=105):
    """Nothing is known about this transactional id."""


class FetchSessionTopicIdError(Refusal, code=106, retriable=True):
    """The fetch session began with topic names and went on with ids, or the other way round."""


class IneligibleReplica(Refusal, code=107):
    """A replica that may not join the in-sync set was proposed for it."""


class NewLeaderElected(Refusal, code=108):
    """The change was made, and the partition has another leader since."""


class OffsetMovedToTieredStorage(Refusal, code=109):
    """The offset is in the cold tier only: replicas must build their state from there."""


class FencedMemberEpoch(Refusal, code=110):
    """The coordinator has given the member up: drop all partitions and join anew."""


class UnreleasedInstanceId(Refusal, code=111):
    """Another member still holds this group.instance.id."""


class UnsupportedAssignor(Refusal, code=112):
    """The group cannot use the assignor that was asked for."""


class StaleMemberEpoch(Refusal, code=113):
    """The member epoch is out of date: heartbeat, then ask again."""


class MismatchedEndpointType(Refusal, code=114):
    """The request went to a broker and was meant for a controller, or the other way round."""


class UnsupportedEndpointType(Refusal, code=115):
    """Endpoints of this type are not known here."""


class UnknownControllerId(Refusal, code=116):
    """No controller has this id."""


class UnknownSubscriptionId(Refusal, code=117):
    """The client's metrics subscription is unknown or out of date."""


class TelemetryTooLarge(Refusal, code=118):
    """The client pushed more metrics at once than telemetry.max.bytes."""


class InvalidRegistration(Refusal, code=119):
    """The controller does not accept this broker's registration."""


class TransactionAbortable(Refusal, code=120):
    """The transaction cannot go on, but can be aborted; the transactional id stays usable."""


class InvalidRecordState(Refusal, code=121):
    """The record is not in a state in which this acknowledgement makes sense."""


class ShareSessionNotFound(Refusal, code=122, retriable=True):
    """The share session is unknown or was evicted: begin a new one."""


class InvalidShareSessionEpoch(Refusal, code=123, retriable=True):
    """The share session has moved on to another epoch: begin a new one."""


class FencedStateEpoch(Refusal, code=124):
    """The share group's state has moved on to another epoch."""


class InvalidVoterKey(Refusal, code=125):
    """The voter's key is not the receiver's."""


class DuplicateVoter(Refusal, code=126):
    """The node is a voter already."""


class VoterNotFound(Refusal, code=127):
    """The node is no voter."""


class InvalidRegularExpression(Refusal, code=128):
    """The regular expression cannot be compiled."""


class RebootstrapRequired(Refusal, code=129):
    """What the client knows of the cluster is too old: begin again at the bootstrap addresses."""


class StreamsInvalidTopology(Refusal, code=130):
    """The streams topology contradicts itself."""


class StreamsInvalidTopologyEpoch(Refusal, code=131):
    """The streams topology's epoch makes no sense."""


class StreamsTopologyFenced(Refusal, code=132):
    """The group already runs a newer streams topology."""


class ShareSessionLimitReached(Refusal, code=133, retriable=True):
    """There are as many share sessions as there may be: ask again later."""
