"""What is wrong with a share group's heartbeat whatever its group: told before the group is asked."""

from typing import Final

from penstock.coordinators.groups.assigned.state import JOINING, LEAVING
from penstock.errors import InvalidRequest
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

MEMBER_ID_CHARACTERS_MAX: Final = 36
"""Of an id that members make: a UUID as text, and room for no more."""


def check_heartbeat(request: ShareGroupHeartbeatRequest) -> None:
    for text, name in ((request.member_id, "MemberId"), (request.group_id, "GroupId"), (request.rack_id, "RackId")):
        if text is not None and not text.strip():
            raise InvalidRequest(f"{name} can't be empty.")
    if len(request.member_id) > MEMBER_ID_CHARACTERS_MAX:
        raise InvalidRequest(f"MemberId has more than {MEMBER_ID_CHARACTERS_MAX} characters.")
    if request.member_epoch == JOINING and not request.subscribed_topic_names:
        raise InvalidRequest("SubscribedTopicNames must be set in first request.")
    if request.member_epoch < LEAVING:
        raise InvalidRequest("MemberEpoch is invalid.")
