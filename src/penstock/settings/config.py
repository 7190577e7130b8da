"""What the settings are at this moment, in layers, for the broker and for each topic, group and subscription.

Code holds a Config and reads `config[RETENTION_MS]` at the moment of use; a change replaces texts in place, so nobody
has to be told. Reading is one dictionary lookup: values are parsed on first use and forgotten whenever a layer changes.

Layers of a broker, strongest first: its own dynamic settings, the cluster's dynamic defaults, the static ones (file,
environment, command line), the defaults. A topic's override wins over all of them; without one the broker's synonyms
count, in their order.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, Self, TypeVar
from weakref import WeakSet

import structlog

from penstock.model.words import nearest_names
from penstock.settings.setting import Scope, Setting, Source, broker_row, settings_of
from penstock.settings.unused import dynamic_row, foreign_row

_log = structlog.get_logger(__name__)

T = TypeVar("T")


class SynonymText(NamedTuple):
    """One step of the way by which a value was found."""

    name: str
    value: str | None
    source: Source


class Explanation(NamedTuple):
    """A setting's value and where it comes from, in the terms of DescribeConfigs."""

    setting: Setting[Any]
    value: str | None
    """None for an unset value, and for a secret."""
    source: Source
    synonyms: tuple[SynonymText, ...]
    """Where the value could have come from, strongest first; the first one is where it does come from."""

    @property
    def read_only(self) -> bool:
        return self.setting.read_only

    @property
    def sensitive(self) -> bool:
        return self.setting.sensitive


class Config:
    """A broker's settings. Topics, groups and subscriptions have Overrides on top of it."""

    def __init__(self, static: Mapping[str, str]) -> None:
        self.version = 0
        """Up by one with every change: whoever keeps something worked out from settings compares it."""
        self._values: dict[Setting[Any], Any] = {}
        self._below: WeakSet[Overrides] = WeakSet()
        # Strongest first. Kafka keeps the texts as given, and shows them so.
        self._layers: dict[Source, dict[str, str]] = {
            Source.DYNAMIC_BROKER: {},
            Source.DYNAMIC_DEFAULT_BROKER: {},
            Source.STATIC_BROKER: dict(static),
        }
        self.unused: tuple[str, ...] = ()
        """Settings of Kafka's that were given and have no effect here."""

    @classmethod
    def for_broker(cls, static: Mapping[str, str] | None = None) -> Self:
        """A broker's settings from texts by name; refuses what is unknown or not allowed with a ValueError."""
        for name, text in (static or {}).items():
            row = broker_row(name)
            if row is None:
                raise ValueError(f"{name} is no broker setting")
            row.parse(text)
        return cls(static or {})

    def __getitem__(self, setting: Setting[T]) -> T:
        try:
            value: T = self._values[setting]
        except KeyError:
            value = self._values[setting] = self._resolve(setting)
        return value

    def _resolve(self, setting: Setting[Any]) -> Any:
        if setting.scope is not Scope.BROKER:
            return resolve_synonyms(setting, self)
        for texts in self._layers.values():
            text = texts.get(setting.name)
            if text is not None:
                return setting.parse(text)
        return setting.default

    def for_topic(self, overrides: Mapping[str, str] | None = None) -> "TopicConfig":
        return TopicConfig(self, overrides or {})

    def for_group(self, overrides: Mapping[str, str] | None = None) -> "GroupConfig":
        return GroupConfig(self, overrides or {})

    def for_client_metrics(self, overrides: Mapping[str, str] | None = None) -> "ClientMetricsConfig":
        return ClientMetricsConfig(self, overrides or {})

    def replace_dynamic(self, *, cluster: Mapping[str, str], broker: Mapping[str, str]) -> None:
        """Take over the dynamic settings of the cluster image: the cluster's defaults and this broker's own."""
        before = {*self.dynamic, *self.dynamic_defaults}
        self._layers[Source.DYNAMIC_DEFAULT_BROKER] = _allowed(Scope.BROKER, cluster)
        self._layers[Source.DYNAMIC_BROKER] = _allowed(Scope.BROKER, broker)
        _warn_of_strangers({*self.dynamic, *self.dynamic_defaults} - before)
        self._values.clear()
        self.version += 1
        for config in self._below:
            config._values.clear()
            config.version += 1

    @property
    def static(self) -> Mapping[str, str]:
        return self._layers[Source.STATIC_BROKER]

    @property
    def dynamic(self) -> Mapping[str, str]:
        return self._layers[Source.DYNAMIC_BROKER]

    @property
    def dynamic_defaults(self) -> Mapping[str, str]:
        return self._layers[Source.DYNAMIC_DEFAULT_BROKER]

    def settings(self) -> Iterator[Setting[Any]]:
        """What DescribeConfigs lists: everything but internal settings that nobody has set."""
        for setting in settings_of(Scope.BROKER).values():
            if not setting.internal or any(setting.name in texts for texts in self._layers.values()):
                yield setting
        kept = {name: _kept_row(name) for name in (*self.dynamic, *self.dynamic_defaults)}
        yield from (row for row in kept.values() if row is not None)

    def explain(self, setting: Setting[Any]) -> Explanation:
        chain = self.synonym_chain(setting)
        value = None if setting.sensitive else setting.format(self[setting])
        return Explanation(setting, value, chain[0].source if chain else Source.DEFAULT, chain)

    def explain_cluster_default(self, setting: Setting[Any]) -> Explanation:
        """The same for the cluster-wide default resource, which knows of its own layer only."""
        text = self._layers[Source.DYNAMIC_DEFAULT_BROKER].get(setting.name)
        shown = None if setting.sensitive else text
        chain = () if text is None else (SynonymText(setting.name, shown, Source.DYNAMIC_DEFAULT_BROKER),)
        return Explanation(setting, shown, chain[0].source if chain else Source.DEFAULT, chain)

    def synonym_chain(self, setting: Setting[Any]) -> tuple[SynonymText, ...]:
        """Every text that bears on a broker setting, strongest first, as Kafka lists them.

        Settings that mean the same in another unit (log.retention.hours) are listed too. Kafka begins its list at the
        first entry under the setting's own name; dashboards have come to expect that, so we do as well.
        """
        rows = _same_meaning(setting)
        chain = [
            SynonymText(row.name, None if row.sensitive else texts[row.name], source)
            for source, texts in self._layers.items()
            for row in rows
            if row.name in texts
        ]
        chain += [
            SynonymText(row.name, None if row.sensitive else row.format(row.default), Source.DEFAULT)
            for row in rows
            if row.default is not None
        ]
        own = next((i for i, step in enumerate(chain) if step.name == setting.name), len(chain))
        return tuple(chain[own:])


class Overrides:
    """The settings of one topic, group or subscription: its own texts over the broker's."""

    scope: Scope
    source: Source

    def __init__(self, broker: Config, overrides: Mapping[str, str]) -> None:
        self.version = 0
        self._values: dict[Setting[Any], Any] = {}
        self._broker = broker
        self._overrides = _allowed(self.scope, overrides)
        broker._below.add(self)

    def __getitem__(self, setting: Setting[T]) -> T:
        try:
            value: T = self._values[setting]
        except KeyError:
            value = self._values[setting] = self._resolve(setting)
        return value

    def _resolve(self, setting: Setting[Any]) -> Any:
        if setting.scope is self.scope:
            text = self._overrides.get(setting.name)
            if text is not None:
                return setting.parse(text)
            return resolve_synonyms(setting, self._broker)
        return self._broker[setting]

    @property
    def overrides(self) -> Mapping[str, str]:
        return self._overrides

    def replace_overrides(self, overrides: Mapping[str, str]) -> None:
        self._overrides = _allowed(self.scope, overrides)
        self._values.clear()
        self.version += 1

    def settings(self) -> Iterator[Setting[Any]]:
        """What DescribeConfigs lists: everything but internal settings that nobody has set."""
        for setting in settings_of(self.scope).values():
            if not setting.internal or setting.name in self._overrides:
                yield setting

    def explain(self, setting: Setting[Any]) -> Explanation:
        value = None if setting.sensitive else setting.format(self[setting])
        chain = self._broker_chain(setting)
        if setting.name in self._overrides:
            chain = (SynonymText(setting.name, value, self.source), *chain)
        return Explanation(setting, value, chain[0].source if chain else Source.DEFAULT, chain)

    def _broker_chain(self, setting: Setting[Any]) -> tuple[SynonymText, ...]:
        return self._broker.synonym_chain(setting.synonyms[0].setting) if setting.synonyms else ()


class TopicConfig(Overrides):
    scope = Scope.TOPIC
    source = Source.TOPIC


class GroupConfig(Overrides):
    scope = Scope.GROUP
    source = Source.GROUP

    def _broker_chain(self, setting: Setting[Any]) -> tuple[SynonymText, ...]:
        if setting.synonyms:
            return super()._broker_chain(setting)
        return (SynonymText(setting.name, setting.format(setting.default), Source.DEFAULT),)


class ClientMetricsConfig(Overrides):
    scope = Scope.CLIENT_METRICS
    source = Source.CLIENT_METRICS


def row_of(scope: Scope, name: str) -> Setting[Any] | None:
    """The row that a client means which changes this setting; None for what can be no setting of this scope."""
    return settings_of(scope).get(name) or (_kept_row(name) if scope is Scope.BROKER else None)


def _kept_row(name: str) -> Setting[Any] | None:
    """The row of what is kept for a client and has no effect; None for what has its place in the table."""
    return None if name in settings_of(Scope.BROKER) else dynamic_row(name) or foreign_row(name)


def resolve_synonyms(setting: Setting[T], broker: Config) -> T:
    """The value that the broker gives a setting of a topic or group that sets nothing itself."""
    for synonym in setting.synonyms:
        value = broker[synonym.setting]
        if value is not None:
            translated: T = synonym.translate(value)
            return translated
    return setting.default


def _same_meaning(setting: Setting[Any]) -> tuple[Setting[Any], ...]:
    """The broker settings among which Kafka picks one value: those that a topic setting lists as synonyms together."""
    return _synonyms_of_topics().get(setting, (setting,))


@cache
def _synonyms_of_topics() -> dict[Setting[Any], tuple[Setting[Any], ...]]:
    together: dict[Setting[Any], tuple[Setting[Any], ...]] = {}
    for row in settings_of(Scope.TOPIC).values():
        rows = tuple(synonym.setting for synonym in row.synonyms)
        for setting in rows:
            together.setdefault(setting, rows)
    return together


def _allowed(scope: Scope, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts that this version understands. Others were stored by another one: said and left out."""
    allowed = {}
    for name, text in texts.items():
        row = row_of(scope, name)
        if row is None:
            _log.warning("unknown setting ignored", scope=scope.value, setting=name)
            continue
        try:
            row.parse(text)
        except ValueError as problem:
            _log.warning("setting ignored", scope=scope.value, setting=name, reason=str(problem))
        else:
            allowed[name] = text
    return allowed


def _warn_of_strangers(names: set[str]) -> None:
    """Kafka keeps a name that it does not know without a word; it may as well be a known one with a mistake in it."""
    for name in sorted(names):
        row = _kept_row(name)
        if row is not None and row.foreign:
            near = nearest_names(name, settings_of(Scope.BROKER))
            _log.warning("unknown setting kept; it has no effect", setting=name, did_you_mean=near or None)
