"""Every error as a problem document (RFC 9457). `error_code` and `message` are there for clients of Confluent's v3."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException

from penstock import errors
from penstock.client import NoAnswer, NotConnected
from penstock.errors import Refusal

_log = structlog.get_logger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
KIND: Final = "urn:penstock:problem:"

_STATUS: Final[dict[type[Refusal], int]] = {
    errors.ClusterAuthorizationFailed: 403,
    errors.CoordinatorLoadInProgress: 503,
    errors.CoordinatorNotAvailable: 503,
    errors.CorruptMessage: 502,
    errors.DelegationTokenAuthorizationFailed: 403,
    errors.DuplicateResource: 409,
    errors.GroupAuthorizationFailed: 403,
    errors.GroupIdNotFound: 404,
    errors.GroupSubscribedToTopic: 409,
    errors.InvalidRecordState: 409,
    errors.KafkaStorageError: 503,
    errors.LeaderNotAvailable: 503,
    errors.MessageTooLarge: 413,
    errors.NetworkFailure: 502,
    errors.NonEmptyGroup: 409,
    errors.NotEnoughReplicas: 503,
    errors.NotEnoughReplicasAfterAppend: 504,
    errors.OffsetOutOfRange: 416,
    errors.RecordListTooLarge: 413,
    errors.RequestTimedOut: 504,
    errors.ResourceNotFound: 404,
    errors.SaslAuthenticationFailed: 401,
    errors.SecurityDisabled: 409,
    errors.ThrottlingQuotaExceeded: 429,
    errors.TopicAlreadyExists: 409,
    errors.TopicAuthorizationFailed: 403,
    errors.TransactionalIdAuthorizationFailed: 403,
    errors.UnknownMemberId: 409,
    errors.UnknownServerError: 502,
    errors.UnknownTopicId: 404,
    errors.UnknownTopicOrPartition: 404,
    errors.UnsupportedSaslMechanism: 401,
    errors.UnsupportedVersion: 501,
    NoAnswer: 504,
    NotConnected: 502,
}
"""What is not here is 503 where asking again helps, and 400 where it does not."""

CHALLENGE: Final = {"www-authenticate": 'Basic realm="Kafka cluster", Bearer'}


class Problem(Exception):
    """A request is refused by the web process itself."""

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        """`kind`: a few words with dashes, by which programs know it; `members` go into the document."""
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.headers = dict(headers or {})
        self.members = members


def of_several(documents: list[dict[str, Any]], **members: Any) -> Problem:
    """Where nothing of a request was done: the first problem, with what became of each part in `members`."""
    first = documents[0]
    known = {name: value for name, value in first.items() if name.startswith("kafka_")}
    return Problem(first["status"], first["type"].removeprefix(KIND), first["detail"], **known, **members)


def status_of(refusal: Refusal) -> int:
    for kind in type(refusal).__mro__:
        if kind in _STATUS:
            return _STATUS[kind]
    return 503 if refusal.retriable else 400


def document(status: int, kind: str, detail: str, **members: Any) -> dict[str, Any]:
    return {
        "type": KIND + kind, "title": HTTPStatus(status).phrase, "status": status, "detail": detail,
        "error_code": status, "message": detail, **members,
    }  # fmt: skip


def of_refusal(refusal: Refusal) -> dict[str, Any]:
    """What the cluster refused, for a whole answer or for one part of it."""
    words = refusal.kafka_name.lower().replace("_", "-")
    name, code = refusal.kafka_name, refusal.code
    return document(status_of(refusal), words, refusal.message, kafka_error=name, kafka_error_code=code)


def answer(found: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response[bytes]:
    extra = dict(headers or {})
    if found["status"] == HTTPStatus.UNAUTHORIZED:
        extra |= CHALLENGE
    return Response(msgspec.json.encode(found), status_code=found["status"], media_type=MEDIA_TYPE, headers=extra)


def of_problem(problem: Problem) -> dict[str, Any]:
    return document(problem.status, problem.kind, problem.detail) | problem.members


def on_problem(_: Request[Any, Any, Any], problem: Problem) -> Response[bytes]:
    return answer(of_problem(problem), problem.headers)


def on_refusal(_: Request[Any, Any, Any], refusal: Refusal) -> Response[bytes]:
    return answer(of_refusal(refusal))


def on_http(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What the framework refuses: no such path, a body that does not fit."""
    status = error.status_code
    members = {"errors": error.extra} if error.extra else {}
    kind = HTTPStatus(status).phrase.lower().replace(" ", "-")
    return answer(document(status, kind, error.detail, **members), error.headers)


def on_bug(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    _log.error("a request failed by a bug", method=request.method, path=request.url.path, exc_info=error)
    return answer(document(500, "bug", "This is a bug of the web process; its log has the details."))


def on_depth(_: Request[Any, Any, Any], __: RecursionError) -> Response[bytes]:
    """Of JSON, or of schemas that refer to one another: nothing of ours is as deep as Python's stack."""
    return answer(document(400, "too-deep", "The request is nested too deeply"))


HANDLERS: Final[dict[Any, Any]] = {
    Problem: on_problem, Refusal: on_refusal, HTTPException: on_http, RecursionError: on_depth, Exception: on_bug
}  # fmt: skip
