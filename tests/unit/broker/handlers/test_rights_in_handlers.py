"""What handlers ask of the rules: which right may stand for another, what a dry run tells, and how often they ask."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.callers import a_context, a_lone_authenticator
from tests.support.clusters import a_cluster
from tests.support.fetches import fetch_benches
from tests.support.partitions import TOPIC, Make
from tests.support.quotas import SomeQuotas

from penstock.access.acls import Acl, PatternType, Permission, encode, entry_name
from penstock.access.authorizer import CLUSTER_NAME, Authorizer
from penstock.access.principal import Principal
from penstock.access.rights import READ_TOPIC, Operation, ResourceKind
from penstock.access.subject import Subject
from penstock.broker.cooperative import split
from penstock.broker.deadlines import Deadlines
from penstock.broker.handlers.alter_share_group_offsets import alter_share_group_offsets
from penstock.broker.handlers.consumer_group_heartbeat import consumer_group_heartbeat
from penstock.broker.handlers.create_delegation_token import create_delegation_token
from penstock.broker.handlers.create_topics import create_topics
from penstock.broker.handlers.delete_topics import delete_topics
from penstock.broker.handlers.init_producer_id import init_producer_id
from penstock.broker.handlers.metadata import metadata
from penstock.broker.handlers.offset_for_leader_epoch import offset_for_leader_epoch
from penstock.broker.handlers.produce import produce
from penstock.broker.handlers.share_group_heartbeat import share_group_heartbeat
from penstock.broker.handlers.write_txn_markers import write_txn_markers
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster, CreateTopic
from penstock.errors import InvalidConfig, InvalidPrincipalType, InvalidRequest, TopicAuthorizationFailed
from penstock.settings import Config
from penstock.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponseTopic,
)
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from penstock.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from penstock.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from penstock.wire.messages.fetch_request import FetchPartition, FetchTopic
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.offset_for_leader_epoch_request import OffsetForLeaderEpochRequest, OffsetForLeaderTopic
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest

AUDIT = "__penstock_audit"
DRY = {"penstock.authorizer.dry.run": "true"}
QUOTAS = SomeQuotas().quotas
NOTHING: Any = SimpleNamespace()


def an_authorizer(*rights: tuple[Operation, ResourceKind, str], settings: dict[str, str] | None = None) -> Authorizer:
    """With rules that give these to alice."""
    authorizer = Authorizer(Config.for_broker({"authorizer.class.name": "penstock"} | (settings or {})))
    for operation, kind, name in rights:
        acl = Acl(kind, name, PatternType.LITERAL, "User:alice", "*", operation, Permission.ALLOW)
        authorizer.learn(entry_name(acl), encode(acl))
    return authorizer


def as_alice(version: int = 0) -> RequestContext:
    caller = Caller()
    caller.subject = Subject(Principal("User", "alice"), host="10.0.0.1")
    return a_context(version=version, caller=caller)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        await one.controller.create_topics([CreateTopic(AUDIT), CreateTopic("a")], timeout_ms=60_000)
        yield one


async def delete(cluster: Cluster, authorizer: Authorizer, *names: str) -> dict[str | None, int]:
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name=name) for name in names], timeout_ms=5_000)
    answer = await delete_topics(
        request, as_alice(6), cluster.image, cluster.controller, Config.for_broker(), authorizer, QUOTAS
    )
    return {each.name: each.error_code for each in answer.responses}


async def create(cluster: Cluster, authorizer: Authorizer, *names: str) -> dict[str, int]:
    topics = [CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in names]
    request = CreateTopicsRequest(topics=topics, timeout_ms=5_000)
    answer = await create_topics(request, as_alice(7), cluster.controller, Config.for_broker(), authorizer, QUOTAS)
    return {each.name: each.error_code for each in answer.topics}


async def test_deleting_the_topic_of_audit_events_takes_alter_on_the_cluster(cluster: Cluster) -> None:
    all_topics = (Operation.DELETE, ResourceKind.CLUSTER, CLUSTER_NAME)
    deleted = await delete(cluster, an_authorizer(all_topics), AUDIT, "a")
    assert deleted == {AUDIT: TopicAuthorizationFailed.code, "a": 0}
    may_alter = an_authorizer((Operation.ALTER, ResourceKind.CLUSTER, CLUSTER_NAME))
    assert await delete(cluster, may_alter, AUDIT) == {AUDIT: 0}


async def test_nobody_creates_the_topic_of_audit_events(cluster: Cluster) -> None:
    await cluster.controller.delete_topics([cluster.image.topics[AUDIT].topic_id], timeout_ms=60_000)
    for authorizer in (Authorizer(), an_authorizer((Operation.ALL, ResourceKind.CLUSTER, CLUSTER_NAME))):
        assert await create(cluster, authorizer, AUDIT) == {AUDIT: InvalidRequest.code}
    assert AUDIT not in cluster.image.topics


OF, TARGET = "penstock.view.of", "penstock.schedule.target"


@pytest.mark.parametrize(
    "settings",
    [
        [(OF, "secret")],
        [(OF, "own"), (OF, "secret")],
        [(OF, ""), (OF, "secret")],
        [(TARGET, "secret")],
        [(TARGET, "own"), (TARGET, "secret")],
        [(TARGET, "own"), (OF, "secret")],
    ],
)
async def test_create_is_no_right_on_what_a_new_topic_shows_or_feeds(
    cluster: Cluster, settings: list[tuple[str, str]]
) -> None:
    """A setting that is given twice counts as it was given last."""
    await cluster.controller.create_topics([CreateTopic("own"), CreateTopic("secret")], timeout_ms=5_000)
    rights = [(Operation.ALL, ResourceKind.TOPIC, name) for name in ("own", "new")]
    new = CreatableTopic(name="new", num_partitions=-1, replication_factor=-1)
    new.configs = [CreatableTopicConfig(name, value) for name, value in settings]
    request = CreateTopicsRequest(topics=[new], timeout_ms=5_000)
    for more, expected in (([], TopicAuthorizationFailed.code), ([(Operation.ALL, ResourceKind.TOPIC, "secret")], 0)):
        if not expected and settings[0] == (TARGET, "own") and settings[-1][0] == OF:
            expected = InvalidConfig.code  # a view feeds nothing
        authorizer = an_authorizer(*rights, *more)
        answer = await create_topics(request, as_alice(7), cluster.controller, Config.for_broker(), authorizer, QUOTAS)
        assert [each.error_code for each in answer.topics] == [expected]


@pytest.mark.parametrize("kind", ["Foo", "Broker", ""])
async def test_the_owner_of_a_token_is_a_user(kind: str) -> None:
    authorizer = an_authorizer((Operation.ALL, ResourceKind.USER, f"{kind}:admin"))
    authority: Any = SimpleNamespace(require_login=lambda _subject: None)
    request = CreateDelegationTokenRequest(owner_principal_type=kind, owner_principal_name="admin")
    answer = await create_delegation_token(request, as_alice(3), authorizer, authority)
    assert (answer.error_code, answer.expiry_timestamp_ms) == (InvalidPrincipalType.code, -1)


# A dry run ------------------------------------------------------------------------------------------------------


async def test_a_dry_run_counts_what_it_lets_through_by_an_alternative(cluster: Cluster) -> None:
    authorizer = an_authorizer(settings=DRY)
    counted = authorizer.metrics
    assert await create(cluster, authorizer, "b") == {"b": 0}
    assert counted.would_be_denied == 1
    assert await delete(cluster, authorizer, "b") == {"b": 0}
    assert counted.would_be_denied == 2

    ids: Any = SimpleNamespace(next=_five)
    answer = await init_producer_id(InitProducerIdRequest(transactional_id=None), as_alice(4), ids, NOTHING, authorizer)
    assert (answer.error_code, answer.producer_id, counted.would_be_denied) == (0, 5, 3)

    writer: Any = SimpleNamespace(write=_nothing)
    asked = WriteTxnMarkersRequest(markers=[])
    await write_txn_markers(asked, as_alice(1), writer, NOTHING, a_lone_authenticator(), authorizer)
    assert counted.would_be_denied == 4

    wanted = OffsetForLeaderEpochRequest(topics=[OffsetForLeaderTopic("a"), OffsetForLeaderTopic("a")])
    await offset_for_leader_epoch(wanted, as_alice(4), NOTHING, authorizer)
    assert counted.would_be_denied == 5

    await _look(cluster, authorizer, "not-there")
    assert counted.would_be_denied == 7, "DESCRIBE and CREATE"
    assert counted.denied == 0


async def _five() -> int:
    return 5


async def _nothing(_entries: object) -> list[object]:
    return []


async def test_a_dry_run_counts_each_produce(make: Make) -> None:
    partitions: Any = make()
    authorizer = an_authorizer(settings=DRY)
    for number in range(1, 3):
        parts = [PartitionProduceData(index=0, records=memoryview(partitions.batch()))]
        request = ProduceRequest(acks=1, timeout_ms=5_000, topic_data=[TopicProduceData(TOPIC, partition_data=parts)])
        frame = memoryview(bytearray(request.encode(10)))
        knows: Any = SimpleNamespace(topics={TOPIC: None}, topics_by_id={})
        deadlines = Deadlines(asyncio.get_running_loop())
        answer: Any = produce(
            frame, 0, as_alice(10), partitions, knows, NOTHING, deadlines, partitions.opener, authorizer, QUOTAS
        )
        if not isinstance(answer, list):
            await answer
        assert (authorizer.metrics.would_be_denied, partitions[0].log.end_offset) == (number, number)


# How often ------------------------------------------------------------------------------------------------------


async def _look(cluster: Cluster, authorizer: Authorizer, *names: str) -> list[int]:
    wanted = [MetadataRequestTopic(name=name) for name in names]
    answer = await metadata(
        MetadataRequest(topics=wanted, allow_auto_topic_creation=True),
        as_alice(9),
        cluster.image,
        cluster.controller,
        cluster.availability,
        Config.for_broker(),
        authorizer,
        QUOTAS,
    )
    return [topic.error_code for topic in answer.topics]


async def test_a_name_that_comes_again_in_metadata_is_refused_once(cluster: Cluster) -> None:
    authorizer = an_authorizer((Operation.DESCRIBE, ResourceKind.TOPIC, "new"))
    assert await _look(cluster, authorizer, *["a", "new"] * 20) == [TopicAuthorizationFailed.code] * 2
    assert authorizer.metrics.denied == 2


async def test_fetch_asks_once_for_a_topic_that_it_refuses(tmp_path: Path) -> None:
    async with fetch_benches(tmp_path) as making:
        bench = making(3)
        bench.authorizer = an_authorizer()
        between = FetchTopic(topic_id=bytes(15) + b"\1", partitions=[FetchPartition(partition=0)])
        found = bench.read(bench.call({0: 0, 1: 0, 2: 0}, between=between, version=12), 12)
        assert [part.error_code for part in found.values()] == [TopicAuthorizationFailed.code] * len(found)
        assert bench.authorizer.metrics.denied == 2, "of each of the two topics"


async def test_epochs_of_masses_of_refused_names_let_others_be_served() -> None:
    topics = [OffsetForLeaderTopic(f"t-{number}") for number in range(500)]
    served = asyncio.ensure_future(asyncio.sleep(0))
    authorizer = an_authorizer()
    await offset_for_leader_epoch(OffsetForLeaderEpochRequest(topics=topics), as_alice(4), NOTHING, authorizer)
    assert served.done()
    assert authorizer.metrics.denied == 500


async def test_masses_of_refused_names_let_others_be_served() -> None:
    served = asyncio.ensure_future(asyncio.sleep(0))
    authorizer = an_authorizer((Operation.READ, ResourceKind.TOPIC, "t-1"))
    names = [f"t-{number}" for number in range(500)]
    allowed, refused = await split(authorizer, as_alice().caller.subject, READ_TOPIC, [*names, *names])
    assert served.done()
    assert (allowed, len(refused)) == (["t-1"] * 2, 998)
    assert authorizer.metrics.denied == 499, "a name that comes again is not asked for again"


async def test_a_member_that_may_not_see_a_topic_is_refused_at_the_first() -> None:
    authorizer = an_authorizer((Operation.READ, ResourceKind.GROUP, "g"))
    names = [f"t-{number}" for number in range(500)]
    with pytest.raises(TopicAuthorizationFailed):
        consumer_group_heartbeat(
            ConsumerGroupHeartbeatRequest("g", subscribed_topic_names=names), as_alice(), NOTHING, authorizer
        )
    with pytest.raises(TopicAuthorizationFailed):
        share_group_heartbeat(
            ShareGroupHeartbeatRequest("g", subscribed_topic_names=names), as_alice(), NOTHING, authorizer
        )
    assert authorizer.metrics.denied == 2


async def test_moving_a_share_group_takes_a_right_on_each_topic() -> None:
    """However many are refused: the others are moved, and the refused come first in the answer."""
    authorizer = an_authorizer((Operation.ALL, ResourceKind.GROUP, "g"), (Operation.READ, ResourceKind.TOPIC, "t-1"))
    asked: list[list[str]] = []

    async def moved(request: AlterShareGroupOffsetsRequest) -> AlterShareGroupOffsetsResponse:
        asked.append([topic.topic_name for topic in request.topics])
        return AlterShareGroupOffsetsResponse(responses=[AlterShareGroupOffsetsResponseTopic("t-1")])

    parts = [AlterShareGroupOffsetsRequestPartition(0, 0)]
    topics = [AlterShareGroupOffsetsRequestTopic(f"t-{number}", parts) for number in range(500)]
    groups: Any = SimpleNamespace(alter_offsets=moved)
    answer = await alter_share_group_offsets(AlterShareGroupOffsetsRequest("g", topics), as_alice(), groups, authorizer)
    assert asked == [["t-1"]]
    codes = [part.error_code for topic in answer.responses for part in topic.partitions]
    assert codes == [TopicAuthorizationFailed.code] * 499 and answer.responses[-1].topic_name == "t-1"
