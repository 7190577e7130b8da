"""The rules of groups that have retry topics, as they are at this moment; worked out once a change."""

from collections.abc import Sequence

from penstock.cluster import ClusterImage, ImageChange, Resource, ResourceType, SettingsChanged, Subscriber
from penstock.cluster.dead_letter_topics import why_not_now
from penstock.delivery.schedules.plan import Delay
from penstock.delivery.schedules.retries import RetryRules
from penstock.settings import Config, GroupConfig, TopicConfig
from penstock.settings import group_retries as settings
from penstock.settings.group import ERRORS_DEADLETTERQUEUE_TOPIC_NAME
from penstock.settings.topic import PENSTOCK_RETRY_GROUP, PENSTOCK_SCHEDULE_DELAY_MS

RULES = tuple(
    row.name
    for row in (
        settings.RETRY_MAX_ATTEMPTS,
        settings.RETRY_BACKOFF_MS,
        settings.RETRY_BACKOFF_MULTIPLIER,
        settings.RETRY_BACKOFF_MAX_MS,
        settings.RETRY_BACKOFF_JITTER,
    )
)


def rules_from(config: GroupConfig, group_id: str) -> RetryRules:
    return RetryRules(
        group_id,
        attempts_max=config[settings.RETRY_MAX_ATTEMPTS],
        backoff_ms=config[settings.RETRY_BACKOFF_MS],
        multiplier=config[settings.RETRY_BACKOFF_MULTIPLIER],
        backoff_max_ms=config[settings.RETRY_BACKOFF_MAX_MS],
        jitter=config[settings.RETRY_BACKOFF_JITTER],
    )


class RetryGroups:
    def __init__(self, image: ClusterImage, config: Config) -> None:
        self._image = image
        self._config = config
        self._rules: dict[str, RetryRules] = {}
        image.subscribe(self._changed, Subscriber.GROUP_VIEW)

    def _changed(self, changes: Sequence[ImageChange]) -> None:
        if any(isinstance(change, SettingsChanged) for change in changes):
            self._rules.clear()

    def delay_of(self, config: TopicConfig) -> Delay:
        """How long a record of a schedule topic waits that says no time itself."""
        group = config[PENSTOCK_RETRY_GROUP]
        return self.of(group) if group else config[PENSTOCK_SCHEDULE_DELAY_MS]

    def of(self, group_id: str) -> RetryRules:
        rules = self._rules.get(group_id)
        if rules is None:
            config = self._config.for_group(self._overrides(group_id))
            rules = self._rules[group_id] = rules_from(config, group_id)
        return rules

    def dead_letter_topic(self, group_id: str) -> str:
        """Empty where the group has none, or one that takes no dead letters now."""
        name = self._overrides(group_id).get(ERRORS_DEADLETTERQUEUE_TOPIC_NAME.name, "")
        return "" if not name or why_not_now(name, self._image, self._config) else name

    def _overrides(self, group_id: str) -> dict[str, str]:
        return dict(self._image.settings.get(Resource(ResourceType.GROUP, group_id)) or {})
