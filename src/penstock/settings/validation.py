"""Whether settings that a client wants to write may be written: names, values, and values against one another."""

from collections.abc import Mapping
from typing import Any

from penstock.errors import InvalidConfig, InvalidRequest
from penstock.model.words import did_you_mean
from penstock.settings import topic
from penstock.settings.batch_size import why_too_large
from penstock.settings.broker import MESSAGE_MAX_BYTES
from penstock.settings.config import Config, GroupConfig, Overrides, TopicConfig, row_of
from penstock.settings.group import (
    BOUNDS,
    CONSUMER_HEARTBEAT_INTERVAL_MS,
    CONSUMER_SESSION_TIMEOUT_MS,
    SHARE_HEARTBEAT_INTERVAL_MS,
    SHARE_SESSION_TIMEOUT_MS,
    STREAMS_HEARTBEAT_INTERVAL_MS,
    STREAMS_SESSION_TIMEOUT_MS,
)
from penstock.settings.setting import Scope, Setting, settings_of

_NOTHING: Mapping[str, str] = {}


def check_topic(overrides: Mapping[str, str], broker: Config, *, before: Mapping[str, str] = _NOTHING) -> TopicConfig:
    """The settings a topic would have; raises InvalidConfig where Kafka would, and for batches too large for a request.
    `before`: what it has already, which may be from before there was that limit.
    """
    _check_each(Scope.TOPIC, overrides)
    config = broker.for_topic(overrides)
    row = topic.MAX_MESSAGE_BYTES
    if row.name in overrides and overrides[row.name] != before.get(row.name):
        problem = why_too_large(row.name, config[row], broker)
        if problem is not None:
            raise InvalidConfig(problem)
    if config[topic.MIN_COMPACTION_LAG_MS] > config[topic.MAX_COMPACTION_LAG_MS]:
        raise InvalidConfig(
            f"min.compaction.lag.ms ({config[topic.MIN_COMPACTION_LAG_MS]}) is above "
            f"max.compaction.lag.ms ({config[topic.MAX_COMPACTION_LAG_MS]})"
        )
    if config[topic.PENSTOCK_SCHEDULE_TARGET] and "compact" in config[topic.CLEANUP_POLICY]:
        raise InvalidConfig("a schedule topic cannot be compacted: a record that waits has no newer version")
    if config[topic.PENSTOCK_SCHEDULE_DELAY_MS] > config[topic.PENSTOCK_SCHEDULE_MAX_MS]:
        raise InvalidConfig(
            f"penstock.schedule.delay.ms ({config[topic.PENSTOCK_SCHEDULE_DELAY_MS]}) is above "
            f"penstock.schedule.max.ms ({config[topic.PENSTOCK_SCHEDULE_MAX_MS]}): no record could wait so long"
        )
    if config[topic.PENSTOCK_DEDUP_BY] and "compact" in config[topic.CLEANUP_POLICY]:
        raise InvalidConfig("a topic with penstock.dedup.by cannot be compacted: its replicas would forget other ids")
    if config[topic.REMOTE_STORAGE_ENABLE]:
        raise InvalidConfig("remote.storage.enable cannot be true: this broker has no cold tier")
    _check_local_retention(config, topic.LOCAL_RETENTION_MS, topic.RETENTION_MS)
    _check_local_retention(config, topic.LOCAL_RETENTION_BYTES, topic.RETENTION_BYTES)
    return config


def _check_local_retention(config: Overrides, local: Setting[int], whole: Setting[int]) -> None:
    """What stays on disk cannot outlast what is kept at all (-1 is for ever, -2 is the same as the other)."""
    if config[local] == -2 or config[whole] == -1:
        return
    if config[local] == -1 or config[local] > config[whole]:
        raise InvalidConfig(f"{local.name} ({config[local]}) is above {whole.name} ({config[whole]})")


def check_group(overrides: Mapping[str, str], broker: Config) -> GroupConfig:
    """The settings a group would have; raises InvalidConfig where a value is out of the broker's bounds."""
    _check_each(Scope.GROUP, overrides)
    config = broker.for_group(overrides)
    for row, (low, high) in BOUNDS.items():
        if row.name not in overrides:
            continue
        if low is not None and config[row] < broker[low]:
            raise InvalidConfig(f"{row.name} ({config[row]}) is below {low.name} ({broker[low]})")
        if high is not None and config[row] > broker[high]:
            raise InvalidConfig(f"{row.name} ({config[row]}) is above {high.name} ({broker[high]})")
    for session, heartbeat in (
        (CONSUMER_SESSION_TIMEOUT_MS, CONSUMER_HEARTBEAT_INTERVAL_MS),
        (SHARE_SESSION_TIMEOUT_MS, SHARE_HEARTBEAT_INTERVAL_MS),
        (STREAMS_SESSION_TIMEOUT_MS, STREAMS_HEARTBEAT_INTERVAL_MS),
    ):
        if config[session] <= config[heartbeat]:
            raise InvalidConfig(
                f"{session.name} ({config[session]}) must be above {heartbeat.name} ({config[heartbeat]})"
            )
    return config


def check_client_metrics(overrides: Mapping[str, str]) -> None:
    """As Kafka does: raises InvalidRequest for a name that is none and an interval out of bounds, InvalidConfig for a
    bad match and an interval that is no number.
    """
    table = settings_of(Scope.CLIENT_METRICS)
    for name, text in overrides.items():
        if name not in table:
            raise InvalidRequest(f"{name} is no setting of a client metrics subscription{did_you_mean(name, table)}")
        is_number = False
        try:
            is_number = isinstance(table[name].type.parse(text), int)
            table[name].parse(text)
        except ValueError as problem:
            raise (InvalidRequest if is_number else InvalidConfig)(str(problem)) from None


def check_broker(changes: Mapping[str, str], broker: Config, *, cluster_wide: bool) -> None:
    """Whether these can be changed while brokers run, for one or for all; InvalidRequest if not, as in Kafka."""
    table = settings_of(Scope.BROKER)
    whose = "the cluster" if cluster_wide else "a broker"
    for name, text in changes.items():
        row = row_of(Scope.BROKER, name)
        if row is None:
            raise InvalidRequest(f"{name} is no setting that Penstock uses{did_you_mean(name, table)}")
        if not row.live and not row.foreign:
            raise InvalidRequest(f"{name} cannot be changed while {whose} runs: configure it and restart")
        try:
            value = row.parse(text)
        except ValueError as problem:
            raise InvalidRequest(str(problem)) from None
        if row is MESSAGE_MAX_BYTES and (too_large := why_too_large(name, value, broker)) is not None:
            raise InvalidRequest(too_large)


def _check_each(scope: Scope, overrides: Mapping[str, str]) -> None:
    table: Mapping[str, Setting[Any]] = settings_of(scope)
    for name, text in overrides.items():
        if name not in table:
            raise InvalidConfig(f"{name} is no {scope.value} setting{did_you_mean(name, table)}")
        try:
            table[name].parse(text)
        except ValueError as problem:
            raise InvalidConfig(str(problem)) from None
