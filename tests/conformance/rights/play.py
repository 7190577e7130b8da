"""Plays the table against one broker: every row as every user, and what it was told of rights."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.conformance.rights.row import GROUP, THERE, TOPIC_ID, TRANSACTION, Body, Row
from tests.conformance.rights.table import CLUSTER, ROWS, SUPER_USER, USERS, User
from tests.support.raw import ConnectionEnded, RawClient

from penstock.access.acls import Permission
from penstock.access.rights import Right

RIGHTS: Mapping[int, str] = {29: "topic", 30: "group", 31: "cluster", 53: "transaction", 65: "token"}
"""Codes that say that a right is missing, and what for."""
WITHIN_S = 120.0

Connect = Callable[[str], RawClient]
"""A connection as this user."""
Outcome = str
Played = dict[str, dict[str, Outcome]]
"""By row and user."""


def play(connect: Connect) -> Played:
    topic_id = prepare(connect)
    played: Played = {row.title: {} for row in ROWS}
    for user in USERS:
        client = connect(user.name)
        try:
            for row in ROWS:
                try:
                    played[row.title][user.name] = ask(client, row, topic_id)
                except ConnectionEnded:
                    played[row.title][user.name] = "closed"
                    client.close()
                    client = connect(user.name)
        finally:
            client.close()
    return played


def ask(client: RawClient, row: Row, topic_id: bytes) -> Outcome:
    """Which rights are missing; whether something was done, or refused for another reason; which names are shown."""
    answer = client.request(row.api, row.version, _filled(row.body, topic_id))
    codes = set(_values(answer, lambda name: name.endswith("error_code")))
    missing = sorted(RIGHTS[code] for code in codes & set(RIGHTS))
    words = [f"no {what}" for what in missing]
    if not missing or codes - set(RIGHTS) - {0}:
        words.append("may")
    if row.lists:
        shown = {str(each) for each in _values(answer, lambda name: name == row.lists) if _is_ours(each)}
        words.append(f"shows {','.join(sorted(shown)) or 'nothing'}")
    return "; ".join(words)


def _is_ours(shown: Any) -> bool:
    return isinstance(shown, int) or (isinstance(shown, str) and shown.startswith("rights-"))


def _values(answer: Any, wanted: Callable[[str], bool]) -> Iterable[Any]:
    if isinstance(answer, dict):
        for name, value in answer.items():
            if wanted(name):
                yield value
            else:
                yield from _values(value, wanted)
    elif isinstance(answer, list):
        for each in answer:
            yield from _values(each, wanted)


def _filled(body: Any, topic_id: bytes) -> Any:
    if isinstance(body, dict):
        return {name: _filled(value, topic_id) for name, value in body.items()}
    if isinstance(body, list):
        return [_filled(each, topic_id) for each in body]
    return topic_id if body == TOPIC_ID else body


# Before ---------------------------------------------------------------------------------------------------------


def prepare(connect: Connect) -> bytes:
    """A topic, a group that committed an offset there, a transactional id, and what each user may. The topic's id."""
    with connect(SUPER_USER) as client:
        created = {"name": THERE, "num_partitions": 1, "replication_factor": 1}
        (topic,) = client.request("CreateTopics", 7, {"topics": [created], "timeout_ms": 60_000})["topics"]
        assert topic["error_code"] == 0, topic
        _until(lambda: _offset_committed(client))
        _until(lambda: _transaction_begun(client))
        creations = [each for user in USERS for each in _acls(user)]
        results = client.request("CreateAcls", 2, {"creations": creations})["results"]
        assert not any(each["error_code"] for each in results), results
        _until(lambda: _count(client) == len(creations))
        topic_id: bytes = topic["topic_id"]
        return topic_id


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < deadline, f"not so after {WITHIN_S:.0f} s"
        time.sleep(0.05)


def _offset_committed(client: RawClient) -> bool:
    if client.request("FindCoordinator", 3, {"key": GROUP, "key_type": 0})["error_code"]:
        return False
    part = {"partition_index": 0, "committed_offset": 0, "committed_metadata": ""}
    body = {"group_id": GROUP, "generation_id_or_member_epoch": -1, "member_id": ""}
    answer = client.request("OffsetCommit", 8, body | {"topics": [{"name": THERE, "partitions": [part]}]})
    return not any(_values(answer, lambda name: name == "error_code"))


def _transaction_begun(client: RawClient) -> bool:
    if client.request("FindCoordinator", 3, {"key": TRANSACTION, "key_type": 1})["error_code"]:
        return False
    asked = {"transactional_id": TRANSACTION, "transaction_timeout_ms": 60_000}
    return not client.request("InitProducerId", 4, asked)["error_code"]


def _acls(user: User) -> list[Body]:
    rights = [(right, Permission.ALLOW) for right in user.allowed] + [(right, Permission.DENY) for right in user.denied]
    return [_acl(user.name, right, permission) for right, permission in rights]


def _acl(user: str, right: Right, permission: Permission) -> Body:
    return {
        "resource_type": int(right.on),
        "resource_name": "kafka-cluster" if right.on is CLUSTER else "*",
        "resource_pattern_type": 3,
        "principal": f"User:{user}",
        "host": "*",
        "operation": int(right.operation),
        "permission_type": int(permission),
    }


def _count(client: RawClient) -> int:
    anything = {"resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1}
    anything |= {"principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1}
    return sum(len(each["acls"]) for each in client.request("DescribeAcls", 2, anything)["resources"])
