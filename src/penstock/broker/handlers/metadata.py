"""Metadata: the brokers, and the topics asked for with their partitions' leaders.

Asked by name, by id (v12), for all (null; an empty list in v0) or for none (an empty list from v1). A topic that is not
there may be created, from v4 on if the client allows it: the answer is "unknown" all the same, and who asks again finds
it. v6 says LISTENER_NOT_FOUND where older versions said LEADER_NOT_AVAILABLE, v8 authorized operations, v13 an error
of the whole answer.

If the leader of a partition that was asked for may just have died, the answer waits until that is known
(BrokerAvailability). As controller the answering broker names itself: see ADR 30.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.rights import CREATE_CLUSTER, CREATE_TOPIC, DESCRIBE_TOPIC, WRITE_TOPIC, ResourceKind
from penstock.access.subject import Subject
from penstock.broker.cooperative import cooperatively
from penstock.broker.handlers.describe_cluster import cluster_operations
from penstock.broker.metadata_pieces import describe_in_turns, is_large
from penstock.broker.registry import RequestContext, answers
from penstock.broker.topic_quotas import TopicQuotas
from penstock.broker.topic_rights import require_to_make
from penstock.cluster import (
    CLUSTER_METADATA,
    NOT_ASKED_FOR,
    BrokerAvailability,
    ClusterImage,
    Controller,
    CreateTopic,
    PartitionImage,
    TopicImage,
    is_internal,
    nodes,
    offline_replicas,
    reachable_leader,
    takes_admin_requests,
    what_is_wrong_with_topic_name,
)
from penstock.errors import (
    InvalidRequest,
    InvalidTopic,
    LeaderNotAvailable,
    ListenerNotFound,
    Refusal,
    ReplicaNotAvailable,
    TopicAuthorizationFailed,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model import BrokerId, TopicId
from penstock.settings.broker import AUTO_CREATE_TOPICS_ENABLE, NODE_ID
from penstock.settings.config import Config
from penstock.wire.api import ApiKey
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

NO_TOPIC_ID = bytes(16)


@answers(
    ApiKey.METADATA,
    versions=(0, 13),
    requires=(DESCRIBE_TOPIC, CREATE_CLUSTER, CREATE_TOPIC, WRITE_TOPIC),
    audits=(ResourceKind.TOPIC,),
)
async def metadata(
    request: MetadataRequest,
    context: RequestContext,
    image: ClusterImage,
    controller: Controller,
    availability: BrokerAvailability,
    config: Config,
    authorizer: Authorizer,
    quotas: ClientQuotas,
) -> MetadataResponse:
    version = context.api_version
    wanted = None if version == 0 and not request.topics else request.topics
    try:
        _check(wanted or (), version)
    except Refusal as refusal:
        return _refused(wanted or (), refusal)
    sight = _Sight(authorizer, context.caller.subject, config)
    refused: list[MetadataResponseTopic] = []
    creates = request.allow_auto_topic_creation and config[AUTO_CREATE_TOPICS_ENABLE]
    if authorizer.is_on and wanted:
        wanted, refused = await sight.split(wanted, image, creates=creates)
    await availability.judged(lambda suspects: _leads_any(suspects, _asked(wanted, image)))
    operations = sight.operations if request.include_topic_authorized_operations else _not_asked_for
    describe = TopicDescriber(image, context.listener, version, operations=operations).topic
    known, unknown = list(_known(wanted, image)), _unknown(wanted or (), image, operations)
    if authorizer.is_on and wanted is None:
        known = await sight.shown(known)
    if wanted and creates:
        names = _to_be_made(wanted, image)
        changes = {name: controller.partitions_of(CreateTopic(name)) for name in names}
        too_many = TopicQuotas(quotas, context, strict_from=0).refused(changes, grows=True, counts=False)
        controller.create_on_demand([name for name in names if name not in too_many])
    before, after = (unknown, []) if _ids(wanted or ()) else ([], unknown)
    after = [*after, *refused]
    answer = (
        await describe_in_turns(known, describe, version=version, before=before, after=after)
        if is_large(known)
        else MetadataResponse(topics=[*before, *(describe(topic, topic.partitions) for topic in known), *after])
    )
    answer.brokers = [
        MetadataResponseBroker(node_id=node.id, host=node.host, port=node.port, rack=node.rack)
        for node in nodes(image, context.listener, also=availability.just_gone())
    ]
    answer.cluster_id = image.cluster_id
    answer.controller_id = takes_admin_requests(image, context.listener, BrokerId(config[NODE_ID]))
    if request.include_cluster_authorized_operations:
        answer.cluster_authorized_operations = cluster_operations(authorizer, context)
    return answer


class _Sight:
    """What of the topics the client may see."""

    def __init__(self, authorizer: Authorizer, subject: Subject, config: Config) -> None:
        self._authorizer = authorizer
        self._subject = subject
        self._config = config

    def operations(self, topic: str) -> int:
        return self._authorizer.operations(self._subject, ResourceKind.TOPIC, topic)

    async def shown(self, topics: list[TopicImage]) -> list[TopicImage]:
        """Of all that there are: nobody is refused what was not asked for by name."""
        shows, subject = self._authorizer.shows, self._subject
        return [topic async for topic in cooperatively(topics) if shows(subject, DESCRIBE_TOPIC, topic.name)]

    async def split(
        self, wanted: Sequence[MetadataRequestTopic], image: ClusterImage, *, creates: bool
    ) -> tuple[list[MetadataRequestTopic], list[MetadataResponseTopic]]:
        """What it may be told of, and what is said of the rest: the same of what is there and of what is not."""
        allowed: list[MetadataRequestTopic] = []
        refused: list[MetadataResponseTopic] = []
        told: set[str] = set()
        by_id = bool(_ids(wanted))
        async for topic in cooperatively(wanted):
            known = image.topics_by_id.get(TopicId(topic.topic_id))
            name = topic.name if not by_id else None if known is None else known.name
            if name is None:
                allowed.append(topic)  # an id that nobody has, or none at all
            elif name in told or not self._authorizer.allows(self._subject, DESCRIBE_TOPIC, name):
                told.add(name)
                refused.append(_forbidden(topic, by_id=by_id))
            elif creates and not by_id and name not in image.topics and not self._may_create(name):
                told.add(name)
                refused.append(_forbidden(topic, by_id=False))
            else:
                allowed.append(topic)
        return allowed, list({(topic.name, topic.topic_id): topic for topic in refused}.values())

    def _may_create(self, name: str) -> bool:
        authorizer, subject = self._authorizer, self._subject
        if not authorizer.has(subject, CREATE_CLUSTER) and not authorizer.allows(subject, CREATE_TOPIC, name):
            return False
        try:
            require_to_make(authorizer, subject, CreateTopic(name), self._config)
        except TopicAuthorizationFailed:
            return False
        return True


def _forbidden(topic: MetadataRequestTopic, *, by_id: bool) -> MetadataResponseTopic:
    if by_id:
        return MetadataResponseTopic(error_code=TopicAuthorizationFailed.code, name=None, topic_id=topic.topic_id)
    return MetadataResponseTopic(error_code=TopicAuthorizationFailed.code, name=topic.name)


def _not_asked_for(_topic: str) -> int:
    return NOT_ASKED_FOR


def _known(wanted: Sequence[MetadataRequestTopic] | None, image: ClusterImage) -> Iterable[TopicImage]:
    if wanted is None:
        return image.topics.values()
    if ids := _ids(wanted):
        return (image.topics_by_id[topic_id] for topic_id in ids if topic_id in image.topics_by_id)
    return (image.topics[name] for name in _names(wanted) if name in image.topics)


def _unknown(
    wanted: Sequence[MetadataRequestTopic], image: ClusterImage, operations: Callable[[str], int]
) -> list[MetadataResponseTopic]:
    if ids := _ids(wanted):
        return [_unknown_id(topic_id) for topic_id in ids if topic_id not in image.topics_by_id]
    return [_unknown_name(name, operations) for name in _names(wanted) if name not in image.topics]


def _asked(wanted: Sequence[MetadataRequestTopic] | None, image: ClusterImage) -> Iterable[TopicImage]:
    if wanted is None:
        return image.topics.values()
    by_id = (image.topics_by_id.get(topic_id) for topic_id in _ids(wanted))
    by_name = (image.topics.get(name) for name in _names(wanted))
    return [topic for topic in (*by_id, *by_name) if topic is not None]


def _leads_any(brokers: Collection[BrokerId], topics: Iterable[TopicImage]) -> bool:
    return any(partition.leader in brokers for topic in topics for partition in topic.partitions)


def _check(wanted: Iterable[MetadataRequestTopic], version: int) -> None:
    for topic in wanted:
        if topic.name is None and version < 12:
            raise InvalidRequest(f"version {version} asks for topics by name, and one has none")
        if topic.topic_id != NO_TOPIC_ID and version < 12:
            raise InvalidRequest(f"version {version} asks for topics by name: ids come with version 12")
        if topic.name is None and topic.topic_id == NO_TOPIC_ID:
            raise InvalidRequest("no topic is given: send its name or its id")


def _refused(wanted: Iterable[MetadataRequestTopic], refusal: Refusal) -> MetadataResponse:
    return MetadataResponse(
        topics=[
            MetadataResponseTopic(error_code=refusal.code, name=topic.name or "", topic_id=topic.topic_id)
            for topic in wanted
        ],
        error_code=refusal.code,
    )


def _ids(wanted: Iterable[MetadataRequestTopic]) -> list[TopicId]:
    """The ids asked for. One is enough to make ids count and names not, as in Kafka."""
    return list(dict.fromkeys(TopicId(topic.topic_id) for topic in wanted if topic.topic_id != NO_TOPIC_ID))


def _names(wanted: Iterable[MetadataRequestTopic]) -> list[str]:
    return list(dict.fromkeys(topic.name for topic in wanted if topic.name is not None))


def _unknown_id(topic_id: TopicId) -> MetadataResponseTopic:
    return MetadataResponseTopic(error_code=UnknownTopicId.code, name=None, topic_id=topic_id)


def _unknown_name(name: str, operations: Callable[[str], int]) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        error_code=InvalidTopic.code if what_is_wrong_with_topic_name(name) else UnknownTopicOrPartition.code,
        name=name,
        is_internal=is_internal(name),
        topic_authorized_operations=operations(name),
    )


def _to_be_made(wanted: Sequence[MetadataRequestTopic], image: ClusterImage) -> list[str]:
    """Internal topics have a shape of their own, which their coordinators give them; nobody else creates them."""
    if _ids(wanted):
        return []
    return [
        name
        for name in _names(wanted)
        if name not in image.topics
        and not is_internal(name)
        and name != CLUSTER_METADATA
        and what_is_wrong_with_topic_name(name) is None
    ]


class TopicDescriber:
    """Describes topics to clients of one listener.

    Every client asks for metadata, again and again: a partition is looked at twice only where it cannot be reached.
    """

    def __init__(self, image: ClusterImage, listener: str, version: int, *, operations: Callable[[str], int]) -> None:
        self._operations = operations
        self._image = image
        self._listener = listener
        self._version = version
        self._reachable = {node.id for node in nodes(image, listener)}

    def topic(self, topic: TopicImage, partitions: Sequence[PartitionImage]) -> MetadataResponseTopic:
        """With these of its partitions."""
        whole = self._reachable.issuperset
        return MetadataResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            is_internal=topic.is_internal,
            partitions=[
                MetadataResponsePartition(
                    0, part.index, part.leader, part.leader_epoch, [*part.replicas], [*part.in_sync], []
                )
                if part.leader in self._reachable and whole(part.replicas)
                else self._partition(part)
                for part in partitions
            ],
            topic_authorized_operations=self._operations(topic.name),
        )

    def _partition(self, partition: PartitionImage) -> MetadataResponsePartition:
        leader, error_code = reachable_leader(self._image, partition, self._listener)
        replicas, in_sync = partition.replicas, partition.in_sync
        if self._version == 0:
            # The only version that leaves unreachable replicas out, and says so.
            replicas, in_sync = self._only_reachable(replicas), self._only_reachable(in_sync)
            if not error_code:
                error_code = ReplicaNotAvailable.code
        if self._version < 6 and error_code == ListenerNotFound.code:
            error_code = LeaderNotAvailable.code
        return MetadataResponsePartition(
            error_code=error_code,
            partition_index=partition.index,
            leader_id=leader,
            leader_epoch=partition.leader_epoch,
            replica_nodes=[*replicas],
            isr_nodes=[*in_sync],
            offline_replicas=[*offline_replicas(self._image, partition, self._listener)],
        )

    def _only_reachable(self, brokers: tuple[BrokerId, ...]) -> tuple[BrokerId, ...]:
        return tuple(broker for broker in brokers if broker in self._reachable)
