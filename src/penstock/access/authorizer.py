"""Whether somebody may do something. Without rules everybody may do everything, as in Kafka without an authorizer."""

from collections.abc import Iterable, Mapping
from typing import Final

from penstock.access.rights import ResourceKind, Right
from penstock.access.subject import Subject
from penstock.errors import (
    ClusterAuthorizationFailed,
    DelegationTokenAuthorizationFailed,
    GroupAuthorizationFailed,
    Refusal,
    TopicAuthorizationFailed,
    TransactionalIdAuthorizationFailed,
)

CLUSTER_NAME: Final = "kafka-cluster"
"""The name of the one resource of its kind, in Kafka's words."""

REFUSALS: Final[Mapping[ResourceKind, type[Refusal]]] = {
    ResourceKind.TOPIC: TopicAuthorizationFailed,
    ResourceKind.GROUP: GroupAuthorizationFailed,
    ResourceKind.CLUSTER: ClusterAuthorizationFailed,
    ResourceKind.TRANSACTIONAL_ID: TransactionalIdAuthorizationFailed,
    ResourceKind.DELEGATION_TOKEN: DelegationTokenAuthorizationFailed,
    ResourceKind.USER: DelegationTokenAuthorizationFailed,
}


class Authorizer:
    @property
    def is_on(self) -> bool:
        """Whether there are rules at all: without, a handler may skip asking for each of thousands of names."""
        return False

    def allows(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> bool:
        return True

    def require(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> None:
        """Refuse as Kafka does for this kind of resource."""
        if not self.allows(subject, right, name):
            raise REFUSALS[right.on](f"{subject.principal} has no {right} on {name}")

    def split(self, subject: Subject, right: Right, names: Iterable[str]) -> tuple[list[str], list[str]]:
        """Those it may, and those it may not, in their order."""
        allowed: list[str] = []
        refused: list[str] = []
        for name in names:
            (allowed if self.allows(subject, right, name) else refused).append(name)
        return allowed, refused
