"""Fields of our own that ride in Kafka's messages: tagged, with numbers far above Kafka's, so that its readers pass
them over. They are laid over the facts as these are read, which come from Kafka's jars and have none of it.
"""

from collections.abc import Mapping
from typing import Any

_NOT_BEFORE = {
    # Records of a batch that wait before they are delivered again; 0: they do not.
    "name": "NotBeforeMs", "type": "int64", "versions": "0+", "tagged": "0+", "tag": 10_000, "default": 0,
    "ignorable": True,
}  # fmt: skip

_ASKED_OF_LEADERS = {
    # Not the group's coordinator is asked, but a leader of partitions: for what it has given out.
    "name": "OfLeader", "type": "bool", "versions": "0+", "tagged": "0+", "tag": 10_000, "default": False,
    "ignorable": True,
}  # fmt: skip
_IN_FLIGHT = {
    # What members have now; null of whoever was not asked for it, or does not know the question.
    "name": "InFlight", "type": "[]InFlightRange", "versions": "0+", "tagged": "0+", "tag": 10_000, "nullable": "0+",
    "default": None, "ignorable": True, "fields": [
        {"name": "FirstOffset", "type": "int64", "versions": "0+"},
        {"name": "LastOffset", "type": "int64", "versions": "0+"},
        {"name": "DeliveryCount", "type": "int16", "versions": "0+"},
        {"name": "MemberId", "type": "string", "versions": "0+"},
        {"name": "LockLeftMs", "type": "int32", "versions": "0+"},
    ],
}  # fmt: skip

_REASON = {
    # Why records of a batch are on their way to a dead-letter topic; 0: they are not.
    "name": "DeadLetterReason", "type": "int8", "versions": "0+", "tagged": "0+", "tag": 10_010, "default": 0,
    "ignorable": True,
}  # fmt: skip
_RELAY = {
    # What of the partition's records is on its way to another topic; empty: as it was.
    "name": "Relay", "type": "bytes", "versions": "0+", "tagged": "0+", "tag": 10_011, "ignorable": True,
}  # fmt: skip

_GROUPS_OF_USERS = {
    # Which groups users are in from now on, in place of those that they were in.
    "name": "GroupsOfUsers", "type": "[]GroupsOfUser", "versions": "0+", "tagged": "0+", "tag": 10_000,
    "ignorable": True, "fields": [
        {"name": "User", "type": "string", "versions": "0+"},
        {"name": "Groups", "type": "[]string", "versions": "0+"},
    ],
}  # fmt: skip
_MEMBER_OF = {
    "name": "MemberOf", "type": "[]string", "versions": "0+", "tagged": "0+", "tag": 10_000, "ignorable": True,
}  # fmt: skip

ITSELF = ""
"""The message's own fields."""

OWN_FIELDS: Mapping[tuple[str, str], tuple[dict[str, Any], ...]] = (
    {
        ("ReadShareGroupStateResponse", "Partitions"): (_RELAY,),
        ("ShareSnapshotValue", ITSELF): (_RELAY,),
        ("ShareUpdateValue", ITSELF): (_RELAY,),
        ("WriteShareGroupStateRequest", "Partitions"): (_RELAY,),
    }
    | {
        (message, "StateBatches"): (_NOT_BEFORE, _REASON)
        for message in (
            "ReadShareGroupStateResponse",
            "ShareSnapshotValue",
            "ShareUpdateValue",
            "WriteShareGroupStateRequest",
        )
    }
    | {
        ("AlterUserScramCredentialsRequest", ITSELF): (_GROUPS_OF_USERS,),
        ("DescribeUserScramCredentialsResponse", "Results"): (_MEMBER_OF,),
        ("DescribeShareGroupOffsetsRequest", "Groups"): (_ASKED_OF_LEADERS,),
        ("DescribeShareGroupOffsetsResponse", "Partitions"): (_IN_FLIGHT,),
    }
)
"""By message and by the field whose structs get them, wherever that field lies in the message."""

OWN_NAMES = frozenset(field["name"] for fields in OWN_FIELDS.values() for field in fields)


def with_own_fields(message: dict[str, Any]) -> dict[str, Any]:
    if "fields" not in message:
        return message
    own = list(OWN_FIELDS.get((message["name"], ITSELF), ()))
    return message | {"fields": _laid_over(message["name"], message["fields"]) + own}


def _laid_over(message: str, fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        field | {"fields": _laid_over(message, field["fields"]) + list(OWN_FIELDS.get((message, field["name"]), ()))}
        if "fields" in field
        else field
        for field in fields
    ]
