"""Topics: made, listed, described, given more partitions, deleted."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from penstock.client.core import Core
from penstock.client.metadata import TopicInfo
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, one, outcome
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from penstock.wire.messages.create_partitions_response import CreatePartitionsResponse
from penstock.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from penstock.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from penstock.wire.messages.delete_topics_response import DeleteTopicsResponse
from penstock.wire.messages.metadata_response import MetadataResponse

TOPIC_STATES_FROM = 6
"""DeleteTopics names its topics in another field from this version on."""


class NewTopic(msgspec.Struct, frozen=True):
    name: str
    partitions: int = -1
    """-1 leaves the number to the broker."""
    replication_factor: int = -1
    settings: Mapping[str, str | None] = {}
    assignment: Mapping[int, Sequence[int]] = {}
    """Replicas by partition, instead of the two numbers."""


async def list_topics(core: Core) -> dict[str, TopicInfo]:
    """All topics, by name, internal ones too."""

    async def ask(_: Node | None, __: list[None]) -> dict[None, dict[str, TopicInfo]]:
        return {None: _found(core, await core.refresh(None)).done}

    return one(await core.scatter(ApiKey.METADATA, [None], ask))


async def describe_topics(core: Core, names: Iterable[str]) -> Outcomes[str, TopicInfo]:
    """Partitions with leaders, replicas and in-sync sets; UnknownTopicOrPartition where there is no such topic."""

    async def ask(_: Node | None, some: list[str]) -> Outcomes[str, TopicInfo]:
        return _found(core, await core.refresh(some))

    return await core.scatter(ApiKey.METADATA, names, ask)


def _found(core: Core, answer: MetadataResponse) -> Outcomes[str, TopicInfo]:
    known, refused = core.metadata.topics, core.metadata.refused
    names = [each.name for each in answer.topics if each.name is not None]
    return Outcomes({name: refused[name](name) if name in refused else known[name] for name in names})


async def create_topics(
    core: Core, topics: Iterable[NewTopic | str], *, validate_only: bool = False
) -> Outcomes[str, CreatableTopicResult]:
    """With what each topic got: id, partitions, replication factor, settings."""
    wanted = {each.name: each for each in (NewTopic(t) if isinstance(t, str) else t for t in topics)}

    async def ask(node: Node | None, some: list[str]) -> dict[str, CreatableTopicResult | Refusal]:
        request = CreateTopicsRequest(
            topics=[_creatable(wanted[name]) for name in some],
            timeout_ms=core.timeout_ms,
            validate_only=validate_only,
        )
        answer: CreateTopicsResponse = await core.ask(node, request)
        return {each.name: outcome(each.error_code, each, each.error_message) for each in answer.topics}

    return await core.scatter(ApiKey.CREATE_TOPICS, wanted, ask)


def _creatable(topic: NewTopic) -> CreatableTopic:
    return CreatableTopic(
        name=topic.name,
        num_partitions=-1 if topic.assignment else topic.partitions,
        replication_factor=-1 if topic.assignment else topic.replication_factor,
        assignments=[CreatableReplicaAssignment(index, list(ids)) for index, ids in topic.assignment.items()],
        configs=[CreatableTopicConfig(name, value) for name, value in topic.settings.items()],
    )


async def delete_topics(core: Core, names: Iterable[str]) -> Outcomes[str, None]:
    async def ask(node: Node | None, some: list[str]) -> dict[str, Refusal | None]:
        def request(version: int) -> DeleteTopicsRequest:
            if version < TOPIC_STATES_FROM:
                return DeleteTopicsRequest(topic_names=some, timeout_ms=core.timeout_ms)
            return DeleteTopicsRequest(topics=[DeleteTopicState(name) for name in some], timeout_ms=core.timeout_ms)

        answer: DeleteTopicsResponse = await core.ask(node, request, api_key=ApiKey.DELETE_TOPICS)
        for each in answer.responses:
            core.metadata.doubt(each.name or "")
        return {each.name or "": outcome(each.error_code, None, each.error_message) for each in answer.responses}

    return await core.scatter(ApiKey.DELETE_TOPICS, names, ask)


async def create_partitions(
    core: Core,
    counts: Mapping[str, int],
    *,
    assignments: Mapping[str, Sequence[Sequence[int]]] | None = None,
    validate_only: bool = False,
) -> Outcomes[str, None]:
    """Raise the number of partitions to `counts`; `assignments` are the replicas of the new ones, in order."""

    async def ask(node: Node | None, some: list[str]) -> dict[str, Refusal | None]:
        topics = [CreatePartitionsTopic(name, counts[name], _replicas((assignments or {}).get(name))) for name in some]
        request = CreatePartitionsRequest(topics, timeout_ms=core.timeout_ms, validate_only=validate_only)
        answer: CreatePartitionsResponse = await core.ask(node, request)
        for name in some:
            core.metadata.doubt(name)
        return {each.name: outcome(each.error_code, None, each.error_message) for each in answer.results}

    return await core.scatter(ApiKey.CREATE_PARTITIONS, counts, ask)


def _replicas(assignment: Sequence[Sequence[int]] | None) -> list[CreatePartitionsAssignment] | None:
    return None if assignment is None else [CreatePartitionsAssignment(list(ids)) for ids in assignment]
