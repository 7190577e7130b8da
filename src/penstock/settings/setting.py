"""A row of the settings table, and the table.

A row is declared once, in broker.py, topic.py, group.py or client_metrics.py, and drives everything that has to do with
the setting: parsing, validation, DescribeConfigs, the reference page, `penstock settings explain`, the simulator.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar, overload

from penstock.settings.checks import Check
from penstock.settings.types import Kind, ValueType

T = TypeVar("T")


class Scope(Enum):
    """Whose setting it is: the resources of Kafka's config APIs."""

    BROKER = "broker"
    TOPIC = "topic"
    GROUP = "group"
    CLIENT_METRICS = "client metrics"


class Source(IntEnum):
    """Where a value comes from, as DescribeConfigs numbers it."""

    UNKNOWN = 0
    TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    GROUP = 8


class Importance(IntEnum):
    HIGH = 0
    MEDIUM = 1
    LOW = 2


class Synonym(NamedTuple):
    """A broker setting that stands in where a topic or group sets nothing, and the factor between their units."""

    setting: "Setting[Any]"
    factor: int = 1

    def translate(self, value: Any) -> Any:
        # Below zero a value is no time but a word for "never" or "for good", whatever the unit.
        return value if self.factor == 1 or value < 0 else value * self.factor


class Setting(Generic[T]):
    """One row. Compared by identity, so that looking up its value costs a pointer's hash."""

    __slots__ = (
        "check", "default", "doc", "importance", "internal", "live", "name", "nullable", "scope", "simulate",
        "synonyms", "type",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        scope: Scope,
        type_: ValueType[Any],
        *,
        default: T,
        check: Check[Any] | None,
        live: bool,
        doc: str,
        synonyms: tuple[Synonym, ...],
        simulate: tuple[T, ...],
        importance: Importance,
        internal: bool,
    ) -> None:
        self.name = name
        self.scope = scope
        self.type = type_
        self.default = default
        self.nullable = default is None
        self.check = check
        self.live = live
        self.doc = doc
        self.synonyms = synonyms
        self.simulate = simulate
        self.importance = importance
        self.internal = internal

    @property
    def kind(self) -> Kind:
        return self.type.kind

    @property
    def sensitive(self) -> bool:
        """Whether the value is never shown. What nobody knows may be a secret, so Kafka hides it too."""
        return self.type.kind in (Kind.PASSWORD, Kind.UNKNOWN)

    @property
    def foreign(self) -> bool:
        """Whether it is a setting of nobody's that is known here, and was kept all the same."""
        return self.type.kind is Kind.UNKNOWN

    @property
    def read_only(self) -> bool:
        """Whether it takes a restart to change it."""
        return self.scope is Scope.BROKER and not self.live

    def parse(self, text: str) -> T:
        try:
            value: T = self.type.parse(text)
            if self.check is not None:
                self.check(value)
        except ValueError as problem:
            shown = "the value" if self.sensitive else repr(text)
            raise ValueError(f"{self.name}: {shown} is not allowed: {problem} ({self.kind.name})") from None
        return value

    def format(self, value: T) -> str | None:
        return None if value is None else self.type.format(value)

    def __repr__(self) -> str:
        return f"<{self.scope.value} setting {self.name}>"


_TABLE: dict[Scope, dict[str, Setting[Any]]] = {scope: {} for scope in Scope}

Synonyms = Iterable[Setting[Any] | tuple[Setting[Any], Callable[[int], int]]]


@overload
def setting(
    name: str, scope: Scope, type_: ValueType[T], *, default: None, doc: str, check: Check[Any] | None = ...,
    live: bool = ..., synonyms: Synonyms = ..., simulate: Iterable[T] = ..., importance: Importance = ...,
    internal: bool = ...,
) -> Setting[T | None]: ...  # fmt: skip
@overload
def setting(
    name: str, scope: Scope, type_: ValueType[T], *, default: T, doc: str, check: Check[Any] | None = ...,
    live: bool = ..., synonyms: Synonyms = ..., simulate: Iterable[T] = ..., importance: Importance = ...,
    internal: bool = ...,
) -> Setting[T]: ...  # fmt: skip
def setting(
    name: str,
    scope: Scope,
    type_: ValueType[Any],
    *,
    default: Any,
    doc: str,
    check: Check[Any] | None = None,
    live: bool | None = None,
    synonyms: Synonyms = (),
    simulate: Iterable[Any] = (),
    importance: Importance = Importance.MEDIUM,
    internal: bool = False,
) -> Setting[Any]:
    """Declare a row. Topic, group and client-metrics settings are live; a broker setting says so itself.

    A synonym is a broker setting, or one with the function that turns its unit into this one's: `(LOG_ROLL_HOURS,
    hours)`.
    """
    rows = _TABLE[scope]
    if name in rows:
        raise TypeError(f"{scope.value} setting {name} is declared twice")
    if default is not None and check is not None:
        check(default)
    row = Setting(
        name,
        scope,
        type_,
        default=default,
        check=check,
        live=scope is not Scope.BROKER if live is None else live,
        doc=doc,
        synonyms=tuple(Synonym(s[0], s[1](1)) if isinstance(s, tuple) else Synonym(s) for s in synonyms),
        simulate=tuple(simulate),
        importance=importance,
        internal=internal,
    )
    rows[name] = row
    return row


def unlisted(name: str, scope: Scope, type_: ValueType[T], *, doc: str, live: bool = True) -> Setting[T | None]:
    """A row that is not in the table: never set unless a client does, and read by nobody."""
    return Setting(
        name, scope, type_, default=None, check=None, live=live, doc=doc, synonyms=(), simulate=(),
        importance=Importance.LOW, internal=True,
    )  # fmt: skip


def settings_of(scope: Scope) -> Mapping[str, Setting[Any]]:
    """Every row of a scope, by name."""
    return MappingProxyType(_TABLE[scope])


class OwnName(NamedTuple):
    """A setting of one listener: `listener.name.<listener>.<setting>`."""

    listener: str
    setting: str


_OF_LISTENERS = ("ssl.", "sasl.", "connections.max.reauth.ms", "penstock.tls")

_BOUNDS_OF_LISTENERS = ("max.connections", "max.connection.creation.rate")


def own_name(name: str) -> OwnName | None:
    """What a name under a listener's prefix is made of; None for any other, and for what no listener has of its own."""
    if not name.startswith("listener.name."):
        return None
    listener, _, setting_name = name.removeprefix("listener.name.").partition(".")
    is_own = setting_name.startswith(_OF_LISTENERS) or setting_name in _BOUNDS_OF_LISTENERS
    return OwnName(listener, setting_name) if is_own else None


def broker_row(name: str) -> Setting[Any] | None:
    """The row of a broker setting, also of one under a listener's prefix."""
    own = own_name(name)
    return _TABLE[Scope.BROKER].get(name if own is None else own.setting)
