"""Which topic names there may be, in Kafka's rules and Kafka's words."""

import re
from collections.abc import Iterable

from penstock.errors import InvalidTopic

CONSUMER_OFFSETS = "__consumer_offsets"
TRANSACTION_STATE = "__transaction_state"
SHARE_GROUP_STATE = "__share_group_state"
CLUSTER_METADATA = "__cluster_metadata"

INTERNAL_TOPICS = frozenset((CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE))
"""Topics that the broker keeps its own state in; clients see them marked."""

NAME_LENGTH_MAX = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def is_internal(name: str) -> bool:
    return name in INTERNAL_TOPICS


def what_is_wrong_with(name: str) -> str | None:
    """Why no topic may have this name, or None where one may."""
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > NAME_LENGTH_MAX:
        return f"the length of '{name}' is longer than the max allowed length {NAME_LENGTH_MAX}"
    if not _LEGAL.fullmatch(name):
        return f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
    return None


def check(name: str) -> None:
    problem = what_is_wrong_with(name)
    if problem is not None:
        raise InvalidTopic(f"Topic name is invalid: {problem}")


def collision_key(name: str) -> str:
    """Names that differ only in '.' and '_' would be one name in metrics, so there may be only one of them."""
    return name.replace(".", "_")


def colliding(name: str, among: Iterable[str]) -> str | None:
    key = collision_key(name)
    return min((other for other in among if other != name and collision_key(other) == key), default=None)
