"""An access rule as Kafka's ACL APIs know it, what filters find, and how the metadata store keeps it.

Beyond Kafka's: the principal may be a group of users (`Group:ops`), and the host a range of addresses (`10.1.0.0/16`).
"""

import ipaddress
from enum import IntEnum
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from penstock.access.rights import Operation, ResourceKind

ANYTHING: Final = "*"
"""As a literal name every resource of the kind; as a host every host."""
ANYBODY: Final = "User:*"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class PatternType(IntEnum):
    """How a rule's name is meant. ANY and MATCH are for filters only."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4

    @classmethod
    def _missing_(cls, value: object) -> "PatternType":
        return cls.UNKNOWN


class Permission(IntEnum):
    """ANY is for filters only."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3

    @classmethod
    def _missing_(cls, value: object) -> "Permission":
        return cls.UNKNOWN


class Acl(NamedTuple):
    kind: ResourceKind
    name: str
    pattern: PatternType
    principal: str
    """`User:alice`, `User:*` for everybody, or `Group:ops`."""
    host: str
    operation: Operation
    permission: Permission

    def __str__(self) -> str:
        name = f"{self.name}*" if self.pattern is PatternType.PREFIXED else self.name
        return (
            f"{self.permission.name} {self.principal} {self.operation.name} on {self.kind.name} {name} from {self.host}"
        )


class AclFilter(NamedTuple):
    """None, or ANY, means that it does not matter."""

    kind: ResourceKind | None = None
    name: str | None = None
    pattern: PatternType = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: Operation | None = None
    permission: Permission = Permission.ANY

    def finds(self, acl: Acl) -> bool:
        return (
            (self.kind is None or self.kind is acl.kind)
            and (self.principal is None or self.principal == acl.principal)
            and (self.operation is None or self.operation is acl.operation)
            and (self.permission is Permission.ANY or self.permission is acl.permission)
            and (self.host is None or self.host == acl.host)
            and self._finds_pattern(acl)
        )

    def _finds_pattern(self, acl: Acl) -> bool:
        if self.pattern not in (PatternType.ANY, PatternType.MATCH, acl.pattern):
            return False
        if self.name is None:
            return True
        if self.pattern is not PatternType.MATCH:
            return self.name == acl.name
        if acl.pattern is PatternType.PREFIXED:
            return self.name.startswith(acl.name)
        return acl.name in (self.name, ANYTHING)

    @property
    def only(self) -> Acl | None:
        """The one rule that it can find, where nothing is left open: it need not be searched for."""
        if (
            self.kind is None
            or self.name is None
            or self.pattern not in (PatternType.LITERAL, PatternType.PREFIXED)
            or self.principal is None
            or self.host is None
            or self.operation is None
            or self.permission is Permission.ANY
        ):
            return None
        return Acl(self.kind, self.name, self.pattern, self.principal, self.host, self.operation, self.permission)


# In the metadata store ------------------------------------------------------------------------------------------


class _Kept(msgspec.Struct):
    """In words, so that people can read what etcd holds."""

    resource: str
    name: str
    pattern: str
    principal: str
    host: str
    operation: str
    permission: str


_DECODER: Final = msgspec.json.Decoder(_Kept)
_PATTERNS: Final = (PatternType.LITERAL, PatternType.PREFIXED)
_PERMISSIONS: Final = (Permission.ALLOW, Permission.DENY)


def encode(acl: Acl) -> bytes:
    return msgspec.json.encode(
        _Kept(
            acl.kind.name, acl.name, acl.pattern.name, acl.principal, acl.host, acl.operation.name, acl.permission.name
        )
    )


def decode(value: bytes) -> Acl:
    """Raises ValueError at what is none."""
    try:
        kept = _DECODER.decode(value)
        acl = Acl(
            ResourceKind[kept.resource],
            kept.name,
            PatternType[kept.pattern],
            kept.principal,
            kept.host,
            Operation[kept.operation],
            Permission[kept.permission],
        )
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError) as error:
        raise ValueError(f"no access rule: {error}") from None
    if acl.pattern not in _PATTERNS or acl.permission not in _PERMISSIONS:
        raise ValueError(f"no access rule: it does not say whom it allows or denies what: {acl}")
    network_of(acl.host)
    return acl


def entry_name(acl: Acl) -> str:
    """What makes a rule makes its key: the same rule given twice is there once."""
    return sha256(encode(acl)).hexdigest()[:40]


# Hosts ----------------------------------------------------------------------------------------------------------


class BadHost(ValueError):
    """Said of a host with a slash that is no range of addresses."""


@lru_cache(maxsize=4_096)
def network_of(host: str) -> Network | None:
    """The range of addresses that a rule's host is; None for one address or name. Raises BadHost."""
    if "/" not in host:
        return None
    try:
        return ipaddress.ip_network(host)
    except ValueError as error:
        raise BadHost(f"{host} is no range of addresses: {error}") from None


@lru_cache(maxsize=4_096)
def address_of(host: str) -> Address | None:
    """None where it is a name. An IPv4 address that came by IPv6 counts as what it is."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def host_matches(wanted: str, host: str) -> bool:
    """Whether somebody at `host` is meant by a rule's host."""
    if wanted in (ANYTHING, host):
        return True
    address = address_of(host)
    if address is None:
        return False
    try:
        network = network_of(wanted)
    except BadHost:
        return False
    return address in network if network is not None else address == address_of(wanted)
