"""Broker settings that bound share groups, as they were when the broker started."""

import msgspec

from penstock.settings import Config
from penstock.settings import broker as settings


class ShareLimits(msgspec.Struct, frozen=True, kw_only=True):
    members_max: int = 200
    assignors: tuple[str, ...] = ("simple",)
    initialize_retry_ms: int = 30_000


def share_limits_of(config: Config) -> ShareLimits:
    return ShareLimits(
        members_max=config[settings.GROUP_SHARE_MAX_SIZE],
        assignors=config[settings.GROUP_SHARE_ASSIGNORS],
        # Whoever keeps the state is asked for at least so long.
        initialize_retry_ms=max(
            config[settings.GROUP_SHARE_INITIALIZE_RETRY_INTERVAL_MS], config[settings.OFFSETS_COMMIT_TIMEOUT_MS]
        ),
    )
