"""The settings of share groups, as they are at this moment; worked out once a change."""

from collections.abc import Mapping, Sequence

import msgspec

from penstock.cluster import (
    ClusterImage,
    FeaturesChanged,
    ImageChange,
    Resource,
    ResourceType,
    SettingsChanged,
    Subscriber,
)
from penstock.delivery.shares.backoff import Backoff
from penstock.delivery.shares.rules import NO_LANES, ShareRules
from penstock.settings import Config, GroupConfig, group_shares
from penstock.settings import group as settings
from penstock.settings.setting import Setting

READ_COMMITTED = "read_committed"
BY_KEY = "key"


class GroupRules:
    def __init__(self, image: ClusterImage, config: Config) -> None:
        self._image = image
        self._config = config
        self._rules: dict[str, ShareRules] = {}
        self._default = ShareRules()
        self._version = -1
        image.subscribe(self._changed, Subscriber.GROUP_VIEW)

    def _changed(self, changes: Sequence[ImageChange]) -> None:
        if any(isinstance(change, SettingsChanged) for change in changes):
            self._rules.clear()
        elif any(isinstance(change, FeaturesChanged) for change in changes):
            self._version = -1

    def of(self, group_id: str) -> ShareRules:
        if self._config.version != self._version:
            self._version = self._config.version
            self._rules.clear()
            self._default = self._rules_from(self._config.for_group())
        overrides = self._image.settings.get(Resource(ResourceType.GROUP, group_id))
        if not overrides:
            return self._default
        rules = self._rules.get(group_id)
        if rules is None:
            rules = self._rules[group_id] = self._rules_from(self._config.for_group(overrides))
        return rules

    def _rules_from(self, config: GroupConfig) -> ShareRules:
        rules = _rules(config)
        has_dead_letters = self._image.features.has_dead_letters
        return rules if has_dead_letters else msgspec.structs.replace(rules, dead_letter_topic="")


def _rules(config: GroupConfig) -> ShareRules:
    return ShareRules(
        lock_ms=_within(config, settings.SHARE_RECORD_LOCK_DURATION_MS),
        delivery_limit=_within(config, settings.SHARE_DELIVERY_COUNT_LIMIT),
        locks_max=_within(config, settings.SHARE_PARTITION_MAX_RECORD_LOCKS),
        committed_only=config[settings.SHARE_ISOLATION_LEVEL] == READ_COMMITTED,
        may_renew=config[settings.SHARE_RENEW_ACKNOWLEDGE_ENABLE],
        reset=config[settings.SHARE_AUTO_OFFSET_RESET],
        dead_letter_topic=config[settings.ERRORS_DEADLETTERQUEUE_TOPIC_NAME],
        copies_dead_letters=config[settings.ERRORS_DEADLETTERQUEUE_COPY_RECORD_ENABLE],
        drops_dead_letters=config[settings.PENSTOCK_DLQ_ON_FAILURE] == "drop",
        has_times_to_live=config[settings.PENSTOCK_SHARE_TTL] == "header",
        backoff=_backoff(config),
        by_key=config[group_shares.ORDER] == BY_KEY,
        window_max=config[group_shares.WINDOW_MAX],
        lanes=_lanes(config[group_shares.PRIORITY]),
    )


def _backoff(config: GroupConfig) -> Backoff | None:
    first_ms = config[group_shares.RETRY_BACKOFF_MS]
    if not first_ms:
        return None
    return Backoff(
        first_ms,
        multiplier=config[group_shares.RETRY_BACKOFF_MULTIPLIER],
        max_ms=config[group_shares.RETRY_BACKOFF_MAX_MS],
        jitter=config[group_shares.RETRY_BACKOFF_JITTER],
    )


def _lanes(named: tuple[str, ...]) -> Mapping[str, int]:
    """Topics with priority 0 are as those that are not named."""
    pairs = (entry.rsplit(":", 1) for entry in named)
    return {topic: int(priority) for topic, priority in pairs if int(priority)} or NO_LANES


def _within(config: GroupConfig, row: Setting[int]) -> int:
    """The broker's bounds may have been drawn closer since a group set its own."""
    value = config[row]
    if row.name in config.overrides:
        low, high = settings.BOUNDS[row]
        value = value if low is None else max(value, config[low])
        value = value if high is None else min(value, config[high])
    return value
