"""Broker settings that bound consumer groups, as they were when the broker started."""

import msgspec

from penstock.settings import Config
from penstock.settings import broker as settings


class ConsumerLimits(msgspec.Struct, frozen=True, kw_only=True):
    members_max: int = 0x7FFF_FFFF
    classic_members_max: int = 0x7FFF_FFFF
    assignors: tuple[str, ...] = ("uniform", "range")
    upgrades: bool = True
    downgrades: bool = True
    pattern_refresh_interval_ms: int = 600_000


def consumer_limits_of(config: Config) -> ConsumerLimits:
    policy = config[settings.GROUP_CONSUMER_MIGRATION_POLICY].lower()
    return ConsumerLimits(
        members_max=config[settings.GROUP_CONSUMER_MAX_SIZE],
        classic_members_max=config[settings.GROUP_MAX_SIZE],
        assignors=config[settings.GROUP_CONSUMER_ASSIGNORS],
        upgrades=policy in ("upgrade", "bidirectional"),
        downgrades=policy in ("downgrade", "bidirectional"),
        pattern_refresh_interval_ms=config[settings.GROUP_CONSUMER_REGEX_REFRESH_INTERVAL_MS],
    )
