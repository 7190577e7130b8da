"""How the APIs about settings, groups and the cluster are told in the audit log."""

from collections.abc import Sequence
from typing import Any

from penstock.access.audit import Activity
from penstock.broker.auditing.row import (
    Key,
    Outcome,
    Row,
    State,
    Subject,
    none_of_its_own,
    of_partitions,
)
from penstock.cluster import Resource, ResourceType
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages import alter_configs_response, delete_groups_response, incremental_alter_configs_response

# Settings -----------------------------------------------------------------------------------------------------------


def _configured(request: Any, state: State) -> list[Subject]:
    return [_of_resource(each, state) for each in request.resources]


def _of_resource(each: Any, state: State) -> Subject:
    resource = Resource(ResourceType(each.resource_type), each.resource_name)
    kind, name = _key(each)
    if resource.type is ResourceType.BROKER_LOGGER:
        return Subject(kind, name, asked={one.name: one.value for one in each.configs})
    return Subject(kind, name, lambda: state.settings(resource))


def _key(each: Any) -> Key:
    """`broker` without a name stands for all brokers."""
    return f"{ResourceType(each.resource_type).name.lower()} settings", each.resource_name


def _altered(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {_key(each): (each.error_code, each.error_message) for each in response.responses}


def _not_altered(messages: Any, response: str) -> Any:
    def refused(request: Any, refusal: Refusal) -> Any:
        made = messages.AlterConfigsResourceResponse
        return getattr(messages, response)(
            responses=[
                made(refusal.code, refusal.message, each.resource_type, each.resource_name)
                for each in request.resources
            ]
        )

    return refused


# Groups -------------------------------------------------------------------------------------------------------------


def _groups(request: Any, _state: State) -> list[Subject]:
    return [Subject("group", name) for name in request.groups_names]


def _groups_deleted(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {("group", each.group_id): (each.error_code, None) for each in response.results}


def _groups_kept(request: Any, refusal: Refusal) -> Any:
    made = delete_groups_response.DeletableGroupResult
    return delete_groups_response.DeleteGroupsResponse(
        results=[made(name, refusal.code) for name in request.groups_names]
    )


def _offsets(request: Any, _state: State) -> list[Subject]:
    return [
        Subject("partition", f"{topic.name}-{each.partition_index}", asked={"group": request.group_id, "offset": None})
        for topic in request.topics
        for each in topic.partitions
    ] or [Subject("group", request.group_id)]


def _offsets_deleted(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return of_partitions(response.topics)


def _share_offsets(request: Any, _state: State) -> list[Subject]:
    return [
        Subject(
            "partition",
            f"{topic.topic_name}-{each.partition_index}",
            asked={"group": request.group_id, "start_offset": each.start_offset},
        )
        for topic in request.topics
        for each in topic.partitions
    ] or [Subject("group", request.group_id)]


def _share_offsets_altered(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return of_partitions(response.responses, name="topic_name")


def _share_topics(request: Any, _state: State) -> list[Subject]:
    return [
        Subject("topic of a group", topic.topic_name, asked={"group": request.group_id, "start_offset": None})
        for topic in request.topics
    ] or [Subject("group", request.group_id)]


def _share_topics_deleted(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {("topic of a group", each.topic_name): (each.error_code, each.error_message) for each in response.responses}


# The cluster --------------------------------------------------------------------------------------------------------


def _features(request: Any, state: State) -> list[Subject]:
    return [_feature(state, each.feature) for each in request.feature_updates]


def _feature(state: State, name: str) -> Subject:
    return Subject("feature", name, lambda: state.feature(name))


def _features_updated(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {("feature", each.feature): (each.error_code, each.error_message) for each in response.results}


def _broker(request: Any, state: State) -> list[Subject]:
    return [Subject("broker", str(request.broker_id), lambda: state.broker(request.broker_id))]


ROWS = {
    ApiKey.ALTER_CONFIGS: Row(
        Activity.UPDATE, _configured, _altered, _not_altered(alter_configs_response, "AlterConfigsResponse")
    ),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Row(
        Activity.UPDATE,
        _configured,
        _altered,
        _not_altered(incremental_alter_configs_response, "IncrementalAlterConfigsResponse"),
    ),
    ApiKey.DELETE_GROUPS: Row(Activity.DELETE, _groups, _groups_deleted, _groups_kept),
    ApiKey.OFFSET_DELETE: Row(Activity.DELETE, _offsets, _offsets_deleted),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: Row(Activity.UPDATE, _share_offsets, _share_offsets_altered),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: Row(Activity.DELETE, _share_topics, _share_topics_deleted),
    ApiKey.UPDATE_FEATURES: Row(Activity.UPDATE, _features, _features_updated),
    ApiKey.UNREGISTER_BROKER: Row(Activity.DELETE, _broker, none_of_its_own),
}
