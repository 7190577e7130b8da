"""What an audit log says, in the words of OCSF 1.3 (schema.ocsf.io), so that other tools read it as it is.

Four kinds: somebody changed something or tried to (API Activity), was not allowed to (API Activity, action Denied),
logged in or failed to (Authentication), and what happened to the log itself (Event Log Activity).
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

import msgspec

SCHEMA_VERSION: Final = "1.3.0"
RESOURCES_MAX: Final = 100
RESOURCES_BYTES_MAX: Final = 256 * 1024
"""In one event; a request about more resources leaves several."""
RESOURCE_BYTES_MAX: Final = 64 * 1024
"""Of one resource; the values of a larger one are left out."""
TEXT_MAX: Final = 4096
"""Characters of one value that are kept. What is cut says so."""
NAMES_MAX: Final = 10
"""Names that a folded event tells."""

_API, _AUTHENTICATION, _EVENT_LOG = 6003, 3002, 1008


class Activity(IntEnum):
    """What an API does, as OCSF numbers it."""

    CREATE = 1
    READ = 2
    UPDATE = 3
    DELETE = 4
    OTHER = 99


class LogActivity(IntEnum):
    """What happened to the log itself."""

    DELETE = 2
    ROTATE = 5
    START = 6
    STOP = 7
    OTHER = 99


class Status(IntEnum):
    SUCCESS = 1
    FAILURE = 2
    OTHER = 99
    """Some of it was done."""


class Severity(IntEnum):
    INFORMATIONAL = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4


DENIED: Final = 2
"""OCSF's action_id for what was not let through."""
DENIALS: Final = frozenset({29, 30, 31, 53, 65})
"""Kafka's codes of refusals for want of a right."""


class Metadata(msgspec.Struct, frozen=True):
    version: str
    product: Mapping[str, str]
    log_name: str
    sequence: int = 0


class User(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    type: str = ""


class Actor(msgspec.Struct, frozen=True, omit_defaults=True):
    user: User
    app_name: str = ""
    """The client id, which a client chooses freely."""


class Endpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    ip: str = ""
    port: int = 0


class Api(msgspec.Struct, frozen=True, omit_defaults=True):
    operation: str
    version: str = ""


class Changed(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one resource."""

    status_code: str = ""
    """Kafka's error code, where it was refused."""
    message: str = ""
    before: Any = None
    after: Any = None


class Resource(msgspec.Struct, frozen=True, omit_defaults=True):
    type: str
    name: str
    data: Changed | None = None


class Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    class_uid: int
    category_uid: int
    activity_id: int
    activity_name: str
    type_uid: int
    severity_id: int
    status_id: int
    time: int
    """Milliseconds since 1970."""
    message: str = ""
    status_code: str = ""
    action_id: int = 0
    action: str = ""
    count: int = 1
    """How many like it there were, from start_time to end_time."""
    start_time: int = 0
    end_time: int = 0
    actor: Actor | None = None
    user: User | None = None
    src_endpoint: Endpoint | None = None
    api: Api | None = None
    auth_protocol: str = ""
    resources: Sequence[Resource] = ()
    metadata: Metadata | None = None
    """Given by the chain, as is what comes after it."""
    unmapped: Mapping[str, Any] = {}
    """What OCSF has no word for. The chain adds its links."""


class Asker(NamedTuple):
    """Who asked for something, from where and with what."""

    principal: str
    """`User:alice`, or `Broker:1`."""
    host: str
    port: int = 0
    client_id: str = ""


def api_activity(
    asker: Asker,
    *,
    operation: str,
    version: int,
    activity: Activity,
    resources: Sequence[Resource],
    time_ms: int,
    error_code: int = 0,
) -> Event:
    """Something was changed, or somebody tried. `error_code` is that of the request as a whole."""
    codes = [one.data.status_code for one in resources if one.data is not None and one.data.status_code]
    status = _status(error_code, refused=len(codes), of=len(resources))
    if not error_code and codes and status is Status.FAILURE:
        error_code = int(codes[0])
    is_denied = error_code in DENIALS
    return Event(
        class_uid=_API,
        category_uid=_API // 1000,
        activity_id=activity,
        activity_name=activity.name.capitalize(),
        type_uid=_API * 100 + activity,
        severity_id=_severity_of(status, is_denied=is_denied),
        status_id=status,
        status_code=str(error_code) if error_code else "",
        action_id=DENIED if is_denied else 0,
        action="Denied" if is_denied else "",
        time=time_ms,
        actor=_actor(asker),
        src_endpoint=Endpoint(asker.host, asker.port),
        api=Api(operation, str(version)),
        resources=resources,
    )


def in_events(resources: Iterable[Resource]) -> list[list[Resource]]:
    """The resources of one request as they are told together: an event fits a record of a topic."""
    runs: list[list[Resource]] = [[]]
    size = 0
    for resource in resources:
        length = len(msgspec.json.encode(resource))
        if length > RESOURCE_BYTES_MAX and resource.data is not None:
            left_out = f"its values are left out: {length} bytes"
            data = msgspec.structs.replace(resource.data, before=None, after=None, message=left_out)
            resource = msgspec.structs.replace(resource, data=data)
            length = 0
        if len(runs[-1]) == RESOURCES_MAX or size + length > RESOURCES_BYTES_MAX:
            runs.append([])
            size = 0
        runs[-1].append(resource)
        size += length
    return runs


def _status(error_code: int, *, refused: int, of: int) -> Status:
    if error_code or (refused and refused == of):
        return Status.FAILURE
    return Status.OTHER if refused else Status.SUCCESS


def _severity_of(status: Status, *, is_denied: bool) -> Severity:
    if is_denied:
        return Severity.MEDIUM
    return Severity.LOW if status is Status.FAILURE else Severity.INFORMATIONAL


def access_denied(asker: Asker, *, right: str, resource: Resource, error_code: int, time_ms: int) -> Event:
    """The authorizer refused a right: `READ Topic` on some topic."""
    return Event(
        class_uid=_API,
        category_uid=_API // 1000,
        activity_id=Activity.OTHER,
        activity_name="Other",
        type_uid=_API * 100 + Activity.OTHER,
        severity_id=Severity.MEDIUM,
        status_id=Status.FAILURE,
        status_code=str(error_code),
        action_id=DENIED,
        action="Denied",
        time=time_ms,
        actor=_actor(asker),
        src_endpoint=Endpoint(asker.host, asker.port),
        api=Api(right),
        resources=(resource,),
    )


def login(asker: Asker, *, mechanism: str, error_code: int, reason: str, time_ms: int) -> Event:
    """Somebody proved who they are, or failed to: then the name is the one that was claimed."""
    has_failed = bool(error_code)
    return Event(
        class_uid=_AUTHENTICATION,
        category_uid=_AUTHENTICATION // 1000,
        activity_id=1,
        activity_name="Logon",
        type_uid=_AUTHENTICATION * 100 + 1,
        severity_id=Severity.MEDIUM if has_failed else Severity.INFORMATIONAL,
        status_id=Status.FAILURE if has_failed else Status.SUCCESS,
        status_code=str(error_code) if has_failed else "",
        time=time_ms,
        message=shortened(reason),
        user=_user(asker.principal),
        src_endpoint=Endpoint(asker.host, asker.port),
        auth_protocol=mechanism,
    )


def about_log(activity: LogActivity, message: str, *, time_ms: int, severity: Severity, **facts: Any) -> Event:
    """What the log says of itself: begun, rotated, old files deleted, events lost."""
    return Event(
        class_uid=_EVENT_LOG,
        category_uid=_EVENT_LOG // 1000,
        activity_id=activity,
        activity_name=activity.name.capitalize(),
        type_uid=_EVENT_LOG * 100 + activity,
        severity_id=severity,
        status_id=Status.SUCCESS if severity is Severity.INFORMATIONAL else Status.FAILURE,
        time=time_ms,
        message=message,
        unmapped=facts,
    )


def _actor(asker: Asker) -> Actor:
    return Actor(_user(asker.principal), shortened(asker.client_id))


def _user(principal: str) -> User:
    kind, _, name = principal.partition(":")
    return User(shortened(name), kind)


def shortened(text: str) -> str:
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}… ({len(text)} characters)"


def shortened_value(value: Any) -> Any:
    """A value of a resource with its long texts cut."""
    if isinstance(value, str):
        return shortened(value)
    if isinstance(value, Mapping):
        return {key: shortened_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [shortened_value(each) for each in value]
    return value
