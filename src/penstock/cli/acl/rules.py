"""Rules as options say them and as Kafka's messages have them."""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import IntEnum
from typing import Any, Final, NamedTuple

import click

from penstock.access.authorizer import CLUSTER_NAME
from penstock.access.rights import Operation, ResourceKind
from penstock.cli.client import Cluster
from penstock.model.words import did_you_mean
from penstock.wire.messages.create_acls_request import AclCreation
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest

ANY: Final = 1
"""Kafka's number, in filters, for whatever there is."""
EVERYBODY: Final = "User:*"
EVERYWHERE: Final = "*"
PRINCIPAL_TYPES: Final = ("User", "Group")


class Pattern(IntEnum):
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Permission(IntEnum):
    DENY = 2
    ALLOW = 3


class Target(NamedTuple):
    """What a rule is about."""

    kind: int
    """A ResourceKind, unless the cluster is newer than this command."""
    name: str
    pattern: int = Pattern.LITERAL

    def __str__(self) -> str:
        if self.kind == ResourceKind.CLUSTER:
            return "cluster"
        kind = _words(ResourceKind, self.kind).lower().replace("_", "-")
        return f"{kind} {self.name}{'...' if self.pattern == Pattern.PREFIXED else ''}"


class Rule(NamedTuple):
    principal: str
    operation: int
    """An Operation, unless the cluster is newer than this command."""
    target: Target
    permission: Permission = Permission.ALLOW
    host: str = EVERYWHERE

    def __str__(self) -> str:
        where = "" if self.host == EVERYWHERE else f" from {self.host}"
        return f"{self.principal} {self.permission.name.lower()} {self.words} {self.target}{where}"

    @property
    def words(self) -> str:
        """Its operation, as options take it."""
        return _words(Operation, self.operation).lower().replace("_", "-")

    def creation(self) -> AclCreation:
        kind, name, pattern = self.target
        return AclCreation(kind, name, pattern, self.principal, self.host, self.operation, self.permission)

    def as_json(self) -> dict[str, str]:
        return {
            "principal": self.principal,
            "permission": self.permission.name,
            "operation": _words(Operation, self.operation),
            "resource": _words(ResourceKind, self.target.kind),
            "name": self.target.name,
            "pattern": _words(Pattern, self.target.pattern),
            "host": self.host,
        }


def table_rows(rules: Iterable[Rule]) -> list[list[object]]:
    return [[rule.principal, rule.permission.name.lower(), rule.words, str(rule.target), rule.host] for rule in rules]


TABLE_COLUMNS: Final = ("principal", "permission", "operation", "resource", "host")


def principal(text: str) -> str:
    """User:alice for alice. Whoever really is called "User:x" is User:User:x."""
    kind, colon, _ = text.partition(":")
    return text if colon and kind in PRINCIPAL_TYPES else f"User:{text}"


def operation(text: str) -> Operation:
    wanted = text.strip().upper().replace("-", "_")
    if wanted not in Operation.__members__:
        known = [each.name.lower().replace("_", "-") for each in Operation]
        guess = did_you_mean(text.lower(), known, sentence=True)
        raise click.UsageError(f"there is no operation {text}.{guess} There are {', '.join(known)}.")
    return Operation[wanted]


def operations(texts: Iterable[str]) -> list[Operation]:
    return list(dict.fromkeys(operation(part) for text in texts for part in text.split(",") if part.strip()))


_RESOURCES: Final = {
    "topic": ResourceKind.TOPIC,
    "group": ResourceKind.GROUP,
    "transactional-id": ResourceKind.TRANSACTIONAL_ID,
    "delegation-token": ResourceKind.DELEGATION_TOKEN,
    "user": ResourceKind.USER,
}


def about(text: str) -> tuple[ResourceKind, str]:
    """topic:orders, group:readers, cluster."""
    kind, colon, name = text.partition(":")
    if text == "cluster":
        return ResourceKind.CLUSTER, CLUSTER_NAME
    if kind not in _RESOURCES or not colon or not name:
        raise click.UsageError(f"{text!r} is no resource: write cluster, or {':NAME, '.join(_RESOURCES)}:NAME")
    return _RESOURCES[kind], name


# Presets -----------------------------------------------------------------------------------------------------------


_Rights = Mapping[ResourceKind, tuple[Operation, ...]]
_PRODUCER: Final[_Rights] = {
    ResourceKind.TOPIC: (Operation.WRITE, Operation.DESCRIBE, Operation.CREATE),
    ResourceKind.TRANSACTIONAL_ID: (Operation.WRITE, Operation.DESCRIBE),
}
_CONSUMER: Final[_Rights] = {
    ResourceKind.TOPIC: (Operation.READ, Operation.DESCRIBE),
    ResourceKind.GROUP: (Operation.READ,),
}


def preset(targets: Collection[Target], *, is_producer: bool, is_consumer: bool) -> list[tuple[Operation, Target]]:
    """What kafka-acls gives with --producer and --consumer. UsageError for what would not be enough, or too much."""
    kinds = {target.kind for target in targets}
    if ResourceKind.TOPIC not in kinds:
        raise click.UsageError("--producer and --consumer are about topics: name them with --topic")
    if is_consumer and ResourceKind.GROUP not in kinds:
        raise click.UsageError("a consumer reads in a group: name it with --group, or all with --group '*'")
    tables = [table for table, is_wanted in ((_PRODUCER, is_producer), (_CONSUMER, is_consumer)) if is_wanted]
    for target in targets:
        if not any(target.kind in table for table in tables):
            raise click.UsageError(f"--producer and --consumer give nothing on {target}: take --operation")
    pairs = [(op, each) for each in targets for table in tables for op in table.get(ResourceKind(each.kind), ())]
    return list(dict.fromkeys(pairs))


# Options -----------------------------------------------------------------------------------------------------------


_NAMED: Final = {
    "topics": ResourceKind.TOPIC,
    "groups": ResourceKind.GROUP,
    "transactional_ids": ResourceKind.TRANSACTIONAL_ID,
    "tokens": ResourceKind.DELEGATION_TOKEN,
    "users": ResourceKind.USER,
}


def target_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--topic, --group and the like, --cluster-itself and --prefix, handed over as `targets`."""

    @click.option("--topic", "topics", multiple=True, metavar="NAME", help="A topic; '*' is any. Repeatable, as all of "
                  "these.")  # fmt: skip
    @click.option("--group", "groups", multiple=True, metavar="NAME", help="A consumer group.")
    @click.option("--transactional-id", "transactional_ids", multiple=True, metavar="ID", help="A transactional id.")
    @click.option("--delegation-token", "tokens", multiple=True, metavar="ID", help="A delegation token.")
    @click.option("--user-resource", "users", multiple=True, metavar="NAME", help="A user, for whom tokens are made.")
    @click.option("--cluster", "cluster_itself", is_flag=True, help="The cluster itself.")
    @click.option("--prefix", "prefixed", is_flag=True, help="All whose names begin with those given.")
    @functools.wraps(command)
    def with_targets(*, cluster_itself: bool, prefixed: bool, **rest: Any) -> Any:
        pattern = Pattern.PREFIXED if prefixed else Pattern.LITERAL
        targets = [Target(kind, name, pattern) for option, kind in _NAMED.items() for name in rest.pop(option)]
        if cluster_itself:
            targets.append(Target(ResourceKind.CLUSTER, CLUSTER_NAME))
        return command(targets=targets, **rest)

    return with_targets


# Asking ------------------------------------------------------------------------------------------------------------


def kept(
    cluster: Cluster, targets: Iterable[Target], *, principal: str | None = None, matching: bool = False
) -> list[Rule]:
    """The cluster's rules about these, or all; `matching`: also those by prefix and wildcard that are about a name."""
    found: list[Rule] = []
    wanted: list[tuple[int, str | None, int]] = [*targets] or [(ANY, None, ANY)]
    for kind, name, pattern in wanted:
        asked = Pattern.MATCH if matching and pattern == Pattern.LITERAL else pattern
        with cluster.doing("list rules") as client:
            answer = client.describe_acls(DescribeAclsRequest(kind, name, asked, principal, None, ANY, ANY))
        for each in answer:
            about = Target(each.resource_type, each.resource_name, each.pattern_type)
            found += [
                Rule(acl.principal, acl.operation, about, Permission(acl.permission_type), acl.host)
                for acl in each.acls
            ]
    return sorted(dict.fromkeys(found))


def exactly(rule: Rule) -> DeleteAclsFilter:
    """The filter that this rule alone passes."""
    kind, name, pattern = rule.target
    return DeleteAclsFilter(kind, name, pattern, rule.principal, rule.host, rule.operation, rule.permission)


def _words(kind: type[IntEnum], number: int) -> str:
    """A cluster may be newer than this command."""
    return kind(number).name if number in kind.__members__.values() else str(number)
