"""What a failed call means: whether it may be made again elsewhere, and what the caller is told.

The question is always whether the call may have been carried out. A read may be repeated whatever happened. A commit
may be repeated only when it is certain that it was not: made a second time after it *was* carried out, its own compares
would fail, and Conflict ("nothing was written") would be a lie. Such a commit answers Unavailable, which says pending
(RULES 6), and whoever wanted it reads back what became of it.
"""

from enum import Enum

from penstock.metastore.port import (
    Compacted,
    InvalidTransaction,
    LeaseGone,
    MetastoreError,
    Revision,
    Unavailable,
    Unusable,
)


class AccessDenied(Unusable):
    """etcd does not let this user in, or not to these keys: check penstock.etcd.username, password and its role."""


class CallFailed(Exception):
    """A call that did not bring an answer: gRPC's status name, and what etcd or gRPC say about it."""

    def __init__(self, endpoint: str, status: str, details: str) -> None:
        super().__init__(f"{endpoint}: {status.lower().replace('_', ' ')}: {details}")
        self.status = status
        self.details = details


class CallOutcome(Enum):
    REFUSED = "etcd has decided: every endpoint would say the same"
    TOKEN_EXPIRED = "not carried out: authenticate again"
    NOT_DONE = "not carried out: another endpoint may do it"
    UNKNOWN = "carried out or not"


_TOKEN_EXPIRED = ("invalid auth token", "user name is empty", "revision of auth store is old")
_DENIED = ("permission denied", "authentication failed", "user name not found")
_INVALID = ("duplicate key given", "too many operations", "request is too large", "message larger than max")
# "no leader" is said before anything is proposed (the `hasleader` header); "too many requests" likewise; gRPC says that
# it failed to connect only of a call that never left.
CHANNEL_CLOSED = "not sent: its channel was closed before"
_NOT_DONE = ("etcdserver: no leader", "too many requests", "failed to connect to all addresses", CHANNEL_CLOSED)
_LEASE_GONE = "requested lease not found"
_COMPACTED = "required revision has been compacted"
_FULL = "database space exceeded"


def meaning(failure: CallFailed) -> CallOutcome:
    if _says(failure, _TOKEN_EXPIRED):
        return CallOutcome.TOKEN_EXPIRED
    if _says(failure, _NOT_DONE):
        return CallOutcome.NOT_DONE
    if _says(failure, (*_DENIED, *_INVALID, _LEASE_GONE, _COMPACTED, _FULL)):
        return CallOutcome.REFUSED
    return CallOutcome.UNKNOWN


def refusal(failure: CallFailed) -> MetastoreError | InvalidTransaction:
    """In the words of the port."""
    if _LEASE_GONE in failure.details:
        return LeaseGone(str(failure))
    if _COMPACTED in failure.details:
        return Compacted(Revision(0))
    if _says(failure, _INVALID):
        return InvalidTransaction(str(failure))
    if _says(failure, (*_DENIED, *_TOKEN_EXPIRED)):
        return AccessDenied(f"{failure}. Check penstock.etcd.username, penstock.etcd.password and the user's role")
    if _FULL in failure.details:
        return Unavailable(f"{failure}. etcd has reached its quota: compact, defragment, then `etcdctl alarm disarm`")
    return Unavailable(str(failure))


def _says(failure: CallFailed, phrases: tuple[str, ...]) -> bool:
    return any(phrase in failure.details for phrase in phrases)
