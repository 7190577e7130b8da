"""What is wrong with a heartbeat whatever its group: told before the group is asked."""

from penstock.coordinators.groups.assigned.state import JOINING, LEAVING
from penstock.coordinators.groups.consumer.state import LEAVING_FOR_A_WHILE
from penstock.errors import InvalidRequest, UnsupportedAssignor
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest

MEMBERS_NAME_THEMSELVES_FROM = 1


def check_heartbeat(request: ConsumerGroupHeartbeatRequest, api_version: int, assignors: tuple[str, ...]) -> None:
    epoch = request.member_epoch
    if api_version >= MEMBERS_NAME_THEMSELVES_FROM or epoch > JOINING or epoch == LEAVING:
        _refuse_blank(request.member_id, "MemberId")
    _refuse_blank(request.group_id, "GroupId")
    _refuse_blank(request.instance_id, "InstanceId")
    _refuse_blank(request.rack_id, "RackId")
    if epoch == JOINING:
        _check_joining(request)
    elif epoch == LEAVING_FOR_A_WHILE and request.instance_id is None:
        raise InvalidRequest("InstanceId can't be null.")
    elif epoch < LEAVING_FOR_A_WHILE:
        raise InvalidRequest("MemberEpoch is invalid.")
    if request.server_assignor is not None and request.server_assignor not in assignors:
        raise UnsupportedAssignor(
            f"ServerAssignor {request.server_assignor} is not supported. Supported assignors: {', '.join(assignors)}."
        )


def _refuse_blank(text: str | None, name: str) -> None:
    if text is not None and not text.strip():
        raise InvalidRequest(f"{name} can't be empty.")


def _check_joining(request: ConsumerGroupHeartbeatRequest) -> None:
    if request.rebalance_timeout_ms == -1:
        raise InvalidRequest("RebalanceTimeoutMs must be provided in first request.")
    if request.topic_partitions is None or request.topic_partitions:
        raise InvalidRequest("TopicPartitions must be empty when (re-)joining.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise InvalidRequest("Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.")
