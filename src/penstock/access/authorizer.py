"""Whether somebody may do something: super users everything, everybody else what the access rules say.

Without `authorizer.class.name` everybody may do everything, as in Kafka without an authorizer.

What a login may is remembered with it (`Subject.allowed`) until any rule changes: one number tells. So a
right that is taken away acts with the next request, the next look of a fetch that waits included.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import structlog

from penstock.access.acl_index import AclIndex, Verdict
from penstock.access.acls import ANYBODY, Acl, decode
from penstock.access.denials import Denials
from penstock.access.metrics import AuthorizerMetrics
from penstock.access.principal import BROKER
from penstock.access.rights import ALTER_CLUSTER, CHANGING, SUPPORTED, WRITE_TOPIC, Operation, ResourceKind, Right
from penstock.access.subject import Subject
from penstock.access.unreadable import stand_ins
from penstock.cluster import AUDIT
from penstock.errors import (
    ClusterAuthorizationFailed,
    DelegationTokenAuthorizationFailed,
    GroupAuthorizationFailed,
    Refusal,
    TopicAuthorizationFailed,
    TransactionalIdAuthorizationFailed,
)
from penstock.model import Clock
from penstock.settings import Config
from penstock.settings.broker_access import (
    ALLOW_EVERYONE_IF_NO_ACL_FOUND,
    AUTHORIZER_CLASS_NAME,
    PENSTOCK_AUTHORIZER_DRY_RUN,
    SUPER_USERS,
    super_users,
)

CLUSTER_NAME: Final = "kafka-cluster"
"""The name of the one resource of its kind, in Kafka's words."""

BROKERS_MAY: Final = frozenset({Operation.CLUSTER_ACTION, Operation.DESCRIBE, Operation.READ})
"""What brokers ask of each other, and to write to the topic of audit events. What clients ask of them they write
themselves."""

REMEMBERED_MAX: Final = 8_192
"""What a login remembers of what it may. When there is more it forgets all."""
NAME_REMEMBERED_MAX: Final = 256
"""Characters of a name up to which it is remembered: a group's may have 32767."""

REFUSALS: Final[Mapping[ResourceKind, type[Refusal]]] = {
    ResourceKind.TOPIC: TopicAuthorizationFailed,
    ResourceKind.GROUP: GroupAuthorizationFailed,
    ResourceKind.CLUSTER: ClusterAuthorizationFailed,
    ResourceKind.TRANSACTIONAL_ID: TransactionalIdAuthorizationFailed,
    ResourceKind.DELEGATION_TOKEN: DelegationTokenAuthorizationFailed,
    ResourceKind.USER: DelegationTokenAuthorizationFailed,
}

_log = structlog.get_logger(__name__)


class Authorizer:
    def __init__(
        self, config: Config | None = None, *, clock: Clock | None = None, metrics: AuthorizerMetrics | None = None
    ) -> None:
        """Without a `config` there are no rules."""
        self.is_on = config is not None and config[AUTHORIZER_CLASS_NAME] != ""
        """Whether there are rules at all: without, a handler may skip asking for each of thousands of names."""
        self.version = 0
        """Up by one with every change of a rule."""
        self.metrics = metrics or AuthorizerMetrics()
        self._config = config
        self._denials = Denials(clock, self.metrics)
        self._super_users = frozenset(super_users(config[SUPER_USERS])) if config is not None else frozenset()
        self._index = AclIndex()
        self._acls: dict[str, Acl] = {}
        self._unreadable: dict[str, tuple[Acl, ...]] = {}

    # Rules ------------------------------------------------------------------------------------------------------

    @property
    def acls(self) -> Mapping[str, Acl]:
        """All rules, by the names of their entries. Changed in place: copy what is needed over an await."""
        return self._acls

    @property
    def unreadable(self) -> Mapping[str, Sequence[Acl]]:
        """Entries that hold no rule, by name, with what is kept to in their place."""
        return self._unreadable

    def learn(self, name: str, value: bytes | None) -> None:
        """A rule is there now, or (None) no longer."""
        self.version += 1
        before = self._acls.pop(name, None)
        for acl in self._unreadable.pop(name, ()) if before is None else (before,):
            self._index.remove(acl)
        if value is None:
            return
        try:
            rules: tuple[Acl, ...] = (decode(value),)
        except ValueError as error:
            rules = self._unreadable[name] = stand_ins(value)
            kept_to = [str(acl) for acl in rules]
            _log.error("an access rule cannot be read", entry=name, reason=str(error), instead=kept_to)
        else:
            self._acls[name] = rules[0]
        for acl in rules:
            self._index.add(acl)

    def observe(self, observer: Callable[[Subject, Right, str], None]) -> None:
        """Have each refusal told to somebody else, too."""
        self._denials.observer = observer

    # Questions --------------------------------------------------------------------------------------------------

    def allows(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> bool:
        """What is denied is counted and said."""
        if not self.is_on or name in self._known(subject, right) or self._decided(subject, right, name):
            return True
        return self._denied(subject, right, name)

    def shows(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> bool:
        """The same question where nobody is refused anything: what is not allowed is left out of a list."""
        if not self.is_on or name in self._known(subject, right) or self._decided(subject, right, name):
            return True
        return self._is_dry_run

    def has(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> bool:
        """The same question where another right would do as well, or is asked for next: nobody is refused anything yet,
        and a dry run lets nothing through here, so that what it would refuse is counted where it is refused.
        """
        return not self.is_on or name in self._known(subject, right) or self._decided(subject, right, name)

    def allows_some(self, subject: Subject, right: Right) -> bool:
        """Whether there is any resource of the kind that it may do this to."""
        if not self.is_on:
            return True
        known = self._known(subject, ("some", right))
        if not known:
            if not self._decide_some(subject, right):
                return self._denied(subject, right, f"any {right.on.name.lower()}")
            known.add("")
        return True

    def known(self, subject: Subject, right: Right) -> AbstractSet[str] | None:
        """Names that are allowed already, for whoever has thousands to ask for and looks here first. It is good until
        the loop turns; what is not in it is for `allows`. None where there are no rules.
        """
        return self._known(subject, right) if self.is_on else None

    def require(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> None:
        """Refuse as Kafka does for this kind of resource."""
        if not self.allows(subject, right, name):
            raise REFUSALS[right.on]

    def split(self, subject: Subject, right: Right, names: Iterable[str]) -> tuple[list[str], list[str]]:
        """Those it may, and those it may not, in their order. A name that comes again is not asked for again."""
        asked: dict[str, bool] = {}
        allowed: list[str] = []
        refused: list[str] = []
        for name in names:
            may = asked.get(name)
            if may is None:
                may = asked[name] = self.allows(subject, right, name)
            (allowed if may else refused).append(name)
        return allowed, refused

    def operations(self, subject: Subject, kind: ResourceKind, name: str = CLUSTER_NAME) -> int:
        """What it may do with this resource, as authorized-operations fields say it: a bit for each operation."""
        return sum(1 << operation for operation in SUPPORTED[kind] if self.shows(subject, Right(operation, kind), name))

    # Deciding ---------------------------------------------------------------------------------------------------

    def _known(self, subject: Subject, right: object) -> set[str]:
        """What is allowed, as far as that was asked. Denials are worked out each time: their names have no end."""
        if subject.allowed_version != self.version:
            self._forget(subject)
        known = subject.allowed.get(right)
        if known is None:
            known = subject.allowed[right] = set()
        return known

    def _decided(self, subject: Subject, right: Right, name: str) -> bool:
        is_allowed = self._decide(subject, right, name)
        if is_allowed and len(name) <= NAME_REMEMBERED_MAX:
            self._known(subject, right).add(name)
            subject.allowed_count += 1
            if subject.allowed_count >= REMEMBERED_MAX:
                self._forget(subject)
        return is_allowed

    def _forget(self, subject: Subject) -> None:
        subject.allowed.clear()
        subject.allowed_count = 0
        subject.allowed_version = self.version

    def _decide(self, subject: Subject, right: Right, name: str) -> bool:
        self.metrics.decided += 1
        if subject.principal.kind == BROKER:
            return right.operation in BROKERS_MAY or (right == WRITE_TOPIC and name == AUDIT)
        principals = principals_of(subject)
        if not self._super_users.isdisjoint(principals):
            return True
        if name == AUDIT and right.on is ResourceKind.TOPIC and right.operation in CHANGING:
            right, name = ALTER_CLUSTER, CLUSTER_NAME  # a right on all topics is not meant for this one
        found = self._index.find(right.on, name, right.operation, principals=principals, host=subject.host)
        if found.verdict is Verdict.NO_RULE:
            return self._allows_without_rules
        return found.verdict is Verdict.ALLOWED

    def _decide_some(self, subject: Subject, right: Right) -> bool:
        principals = principals_of(subject)
        # With a name that hardly anything is said about: as Kafka does.
        return self._decide(subject, right, "hardcode") or (
            subject.principal.kind != BROKER
            and self._index.allows_some(right.on, right.operation, principals=principals, host=subject.host)
        )

    @property
    def _allows_without_rules(self) -> bool:
        return self._config is not None and self._config[ALLOW_EVERYONE_IF_NO_ACL_FOUND]

    @property
    def _is_dry_run(self) -> bool:
        return self._config is not None and self._config[PENSTOCK_AUTHORIZER_DRY_RUN]

    def _denied(self, subject: Subject, right: Right, name: str) -> bool:
        """Whether it is let through all the same."""
        is_dry_run = self._is_dry_run
        self._denials.tell(subject, right, name, is_dry_run=is_dry_run)
        return is_dry_run


def principals_of(subject: Subject) -> Sequence[str]:
    """All that a rule may call it."""
    own = str(subject.principal)
    if not subject.groups:
        return own, ANYBODY
    return own, ANYBODY, *(f"Group:{group}" for group in subject.groups)
