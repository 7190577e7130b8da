"""Read a folder of audit logs: verify it, search it, see its end. No broker is asked; all of it blocks."""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from penstock.access.audit.chain import NO_EVENT, Head
from penstock.access.audit.files import files_in, lines_of
from penstock.access.audit.verification import Report, verify

ATTEMPTS_MAX: Final = 5
TIME_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""


def verify_folder(folder: Path, heads: Mapping[int, Head]) -> list[Report]:
    """Each broker's log, also of those that have a head in the metadata store and no file. Heads are asked for before:
    what they know is on disk then.
    """
    for _ in range(ATTEMPTS_MAX - 1):
        try:
            return _verified(folder, heads)
        except FileNotFoundError:
            continue  # a broker that runs has deleted its oldest meanwhile
    return _verified(folder, heads)


def _verified(folder: Path, heads: Mapping[int, Head]) -> list[Report]:
    files = files_in(folder)
    brokers = sorted({*heads, *(each.broker_id for each in files)})
    return [
        verify(
            f"broker {broker_id}",
            ((each.path.name, lines_of(each.path)) for each in files if each.broker_id == broker_id),
            [heads[broker_id]] if broker_id in heads else [],
        )
        for broker_id in brokers
    ]


class Wanted(msgspec.Struct, frozen=True):
    """Which events; what is not set does not matter."""

    since_ms: int | None = None
    until_ms: int | None = None
    user: str | None = None
    """With its kind (`User:alice`) or without."""
    operation: str | None = None
    resource: str | None = None
    host: str | None = None
    failed: bool = False
    """Only what was refused, wholly or in part."""

    def matches(self, event: Mapping[str, Any]) -> bool:
        time = event.get("time", 0)
        return (
            (self.since_ms is None or event.get("end_time", time) >= self.since_ms)
            and (self.until_ms is None or time < self.until_ms)
            and (self.user is None or self.user in _users_of(event))
            and (self.operation is None or self.operation.lower() == _at(event, "api", "operation").lower())
            and (self.resource is None or self.resource in [each.get("name") for each in event.get("resources", ())])
            and (self.host is None or self.host == _at(event, "src_endpoint", "ip"))
            and (not self.failed or event.get("status_id") != 1)
        )


def search(folder: Path, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """Events of all brokers in the order of time. Lines that cannot be read are for `verify` to tell."""
    files = files_in(folder)
    of_brokers = [
        _events([each.path for each in files if each.broker_id == broker_id])
        for broker_id in sorted({each.broker_id for each in files})
    ]
    return (event for event in heapq.merge(*of_brokers, key=_time) if wanted.matches(event))


def _events(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with suppress(FileNotFoundError):
            for line in lines_of(path):
                event = event_of(line)
                if event is not None:
                    yield event


def event_of(line: bytes) -> dict[str, Any] | None:
    """None where it is none: whoever reads it may rely on the types of what `_Shape` names."""
    try:
        _SHAPE.decode(line)
        event: dict[str, Any] = msgspec.json.decode(line)
    except NO_EVENT:
        return None
    return event


class _Named(msgspec.Struct):
    name: str
    type: str = ""


class _Actor(msgspec.Struct):
    user: _Named


class _Endpoint(msgspec.Struct, frozen=True):
    ip: str = ""


class _Api(msgspec.Struct):
    operation: str


class _Metadata(msgspec.Struct):
    log_name: str
    sequence: int


class _Unmapped(msgspec.Struct):
    users: list[str] = []


class _Shape(msgspec.Struct):
    time: Annotated[int, msgspec.Meta(ge=0, le=TIME_MAX)]
    class_uid: int
    status_id: int
    metadata: _Metadata
    unmapped: _Unmapped
    count: int = 1
    end_time: int = 0
    action_id: int = 0
    message: str = ""
    status_code: str = ""
    auth_protocol: str = ""
    actor: _Actor | None = None
    user: _Named | None = None
    src_endpoint: _Endpoint = _Endpoint()
    api: _Api | None = None
    resources: list[_Named] = []


_SHAPE = msgspec.json.Decoder(_Shape)


def _time(event: Mapping[str, Any]) -> int:
    return int(event.get("time", 0))


def _at(event: Mapping[str, Any], *path: str) -> str:
    value: Any = event
    for step in path:
        value = value.get(step, {}) if isinstance(value, Mapping) else {}
    return value if isinstance(value, str) else ""


def _users_of(event: Mapping[str, Any]) -> set[str]:
    users = [event.get("user"), (event.get("actor") or {}).get("user")]
    named = {text for user in users if user for text in (user["name"], f"{user.get('type', '')}:{user['name']}")}
    return named | set((event.get("unmapped") or {}).get("users", ()))
