"""Which topic names there may be: Kafka's rules."""

import re
from collections.abc import Iterable

from penstock.errors import InvalidTopic

CONSUMER_OFFSETS = "__consumer_offsets"
TRANSACTION_STATE = "__transaction_state"
SHARE_GROUP_STATE = "__share_group_state"
AUDIT = "__penstock_audit"
CLUSTER_METADATA = "__cluster_metadata"

INTERNAL_TOPICS = frozenset((CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE, AUDIT))
"""Topics that the broker keeps its own state in; clients see them marked."""

SHARE_STATE_IS_KEPT = {"cleanup.policy": "delete", "retention.bytes": "-1", "retention.ms": "-1"}
"""Settings of `__share_group_state` that nobody may change. What is deleted there by age or size, or is compacted, was
acknowledged by consumers, and would be delivered again."""

NAME_LENGTH_MAX = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def is_internal(name: str) -> bool:
    return name in INTERNAL_TOPICS


def what_is_wrong_with(name: str) -> str | None:
    """Why no topic may have this name, or None where one may."""
    if not name:
        return "a topic needs a name"
    if name in (".", ".."):
        return f"a topic cannot be named {name}, which means a folder"
    if len(name) > NAME_LENGTH_MAX:
        return f"a topic's name has at most {NAME_LENGTH_MAX} characters, this one has {len(name)}"
    if not _LEGAL.fullmatch(name):
        return f"{name!r} cannot name a topic: use only a-z, A-Z, 0-9, dot, underscore and hyphen"
    return None


def check(name: str) -> None:
    problem = what_is_wrong_with(name)
    if problem is not None:
        raise InvalidTopic(problem)


def collision_key(name: str) -> str:
    """Names that differ only in '.' and '_' would be one name in metrics, so there may be only one of them."""
    return name.replace(".", "_")


def colliding(name: str, among: Iterable[str]) -> str | None:
    key = collision_key(name)
    return min((other for other in among if other != name and collision_key(other) == key), default=None)
