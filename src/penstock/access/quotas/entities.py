"""Whom a quota is for, and which limits there are: Kafka's entities and keys, and tenants beside them.

An entity is a few parts, each a type and a name. A name of None is the default: it holds for whoever has no own quota.
"""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from sys import float_info
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from penstock.errors import InvalidRequest
from penstock.settings.types import INT_MAX, LONG_MAX

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
TENANT: Final = "tenant"
"""Ours: a prefix that topics and users of a tenant have in common."""

KAFKAS_TYPES: Final = frozenset((USER, CLIENT_ID, IP))

PRODUCER_BYTE_RATE: Final = "producer_byte_rate"
CONSUMER_BYTE_RATE: Final = "consumer_byte_rate"
REQUEST_PERCENTAGE: Final = "request_percentage"
CONTROLLER_MUTATION_RATE: Final = "controller_mutation_rate"
CONNECTION_CREATION_RATE: Final = "connection_creation_rate"
STORED_BYTES: Final = "stored_bytes"
PARTITIONS: Final = "partitions"
CONNECTIONS: Final = "connections"


class Part(NamedTuple):
    type: str
    name: str | None


Entity = tuple[Part, ...]
"""Sorted by type, each type once."""


class KeyRange(NamedTuple):
    kind: str
    largest: float
    is_whole: bool = True


_LONG = KeyRange("LONG", LONG_MAX)
_INT = KeyRange("INT", INT_MAX)
_DOUBLE = KeyRange("DOUBLE", float_info.max, is_whole=False)

_OF_CLIENTS: Final[Mapping[str, KeyRange]] = {
    PRODUCER_BYTE_RATE: _LONG,
    CONSUMER_BYTE_RATE: _LONG,
    REQUEST_PERCENTAGE: _DOUBLE,
    CONTROLLER_MUTATION_RATE: _DOUBLE,
}
_OF_ADDRESSES: Final[Mapping[str, KeyRange]] = {CONNECTION_CREATION_RATE: _INT}
OF_TENANTS: Final[Mapping[str, KeyRange]] = {
    PRODUCER_BYTE_RATE: _LONG,
    CONSUMER_BYTE_RATE: _LONG,
    STORED_BYTES: _LONG,
    PARTITIONS: _INT,
    CONNECTIONS: _INT,
}


def entity(parts: Iterable[tuple[str, str | None]]) -> Entity:
    """Of parts in any order; the last of a type counts, as in Kafka."""
    return tuple(sorted((Part(type_, name) for type_, name in dict(parts).items()), key=lambda part: part.type))


def entry_name(whom: Entity) -> str:
    """Under which name its quotas are kept: `client-id=app&user=anna`; a default has no equals sign."""
    return "&".join(
        quote(part.type, safe="") if part.name is None else f"{quote(part.type, safe='')}={quote(part.name, safe='')}"
        for part in whom
    )


def entity_of(name: str) -> Entity:
    """The other way round."""
    parts = (piece.partition("=") for piece in name.split("&"))
    return tuple(Part(unquote(type_), unquote(text) if is_named else None) for type_, is_named, text in parts)


def keys_of(whom: Entity) -> Mapping[str, KeyRange]:
    """The limits that such an entity can have; refuses one that cannot be, in Kafka's words."""
    if not whom:
        raise InvalidRequest("Invalid empty client quota entity")
    for part in whom:
        if part.type not in KAFKAS_TYPES and part.type != TENANT:
            raise InvalidRequest(f"Unhandled client quota entity type: {part.type}")
        if part.name == "":
            raise InvalidRequest(f"Empty {part.type} not supported")
    names = dict(whom)
    if IP in names:
        if len(names) > 1:
            raise InvalidRequest("Invalid quota entity combination, an ip stands alone")
        require_address(names[IP])
        return _OF_ADDRESSES
    if TENANT in names:
        if len(names) > 1:
            raise InvalidRequest("Invalid quota entity combination, a tenant stands alone")
        if names[TENANT] is None:
            raise InvalidRequest("A tenant needs a prefix: there is no default one")
        return OF_TENANTS
    return _OF_CLIENTS


def require_address(name: str | None) -> None:
    """Host names are not looked up: what they stand for may change, and the quota would not."""
    if name is None:
        return
    try:
        ip_address(name)
    except ValueError:
        raise InvalidRequest(f"{name} is not a valid IP address") from None


def require_value(keys: Mapping[str, KeyRange], key: str, value: float) -> None:
    allowed = keys.get(key)
    if allowed is None:
        raise InvalidRequest(f"Invalid configuration key {key}")
    if not value > 0:
        raise InvalidRequest(f"Quota {key} must be greater than 0")
    if value > allowed.largest:
        raise InvalidRequest(f"Proposed value for {key} is too large for {allowed.kind}.")
    if allowed.is_whole and abs(value % 1) > 1e-6:
        raise InvalidRequest(f"{key} cannot be a fractional value.")
