"""Coordinators as clients find them: looked for until there is one, and asked again while it loads or moves.

The first question to a broker creates the internal topic; until its partitions are led and loaded, answers are errors
that every client tries again after.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Collection, Iterator
from typing import Any

from tests.support.raw import RawClient

from penstock.errors import CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator

NOT_THERE_YET = frozenset((CoordinatorLoadInProgress.code, CoordinatorNotAvailable.code, NotCoordinator.code))
WITHIN_S = 120.0
PAUSE_S = 0.02


class Kind(enum.IntEnum):
    """Key types of FindCoordinator."""

    GROUP = 0
    TRANSACTION = 1


def ask_coordinator(
    client: RawClient, kind: Kind, key: str, api: str, version: int, body: dict[str, Any]
) -> dict[str, Any]:
    """The answer of the coordinator of a group or transactional id, once it is there."""
    ask_until_ready(client, "FindCoordinator", 4, {"key_type": kind, "coordinator_keys": [key]})
    return ask_until_ready(client, api, version, body)


def ask_until_ready(
    client: RawClient,
    api: str,
    version: int,
    body: dict[str, Any] | bytes,
    *,
    again_on: Collection[int] = NOT_THERE_YET,
) -> dict[str, Any]:
    deadline = time.monotonic() + WITHIN_S
    while True:
        answer = client.request(api, version, body)
        if not any(code in again_on for code in error_codes(answer)):
            return answer
        assert time.monotonic() < deadline, f"{api} is still answered {answer} after {WITHIN_S:g} s"
        time.sleep(PAUSE_S)


def error_codes(answer: Any) -> Iterator[int]:
    """Every error code of an answer, wherever it is."""
    match answer:
        case dict():
            for name, value in answer.items():
                if name == "error_code":
                    yield value
                else:
                    yield from error_codes(value)
        case list():
            for each in answer:
                yield from error_codes(each)
