"""The features a cluster agrees on, and what UpdateFeatures may do to them.

A feature is listed once it is true here: group.version and transaction.version come with groups and transactions
(RULES 38). metadata.version tells clients which Kafka release's metadata they may expect; what we store does not depend
on it, but going below a level at which Kafka's own metadata changed is refused, as tools expect.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from penstock.cluster.commands import FeatureUpdate, UpgradeType
from penstock.errors import InvalidUpdateVersion
from penstock.model import BrokerId

METADATA_VERSION = "metadata.version"


class Levels(NamedTuple):
    low: int
    high: int


SUPPORTED: Mapping[str, Levels] = {METADATA_VERSION: Levels(7, 30)}
"""metadata.version 7 is Kafka 3.3-IV3, 30 is 4.3-IV0: the levels that Kafka 4.3.0 supports."""


class FeaturesImage(NamedTuple):
    """The cluster's features as the image holds them."""

    finalized: dict[str, int]
    epoch: int
    """Rises with every change, so that clients can tell which of two answers is newer."""
    supported: Mapping[str, Levels] = SUPPORTED


INITIAL: Mapping[str, int] = {METADATA_VERSION: 30}
"""What a new cluster begins with."""

_METADATA_CHANGED_AT = frozenset((8, 11, 13, 14, 15, 17, 23, 30))
"""Levels at which Kafka's stored metadata changed: it does not go back across one."""


def update(finalized: Mapping[str, int], updates: Sequence[FeatureUpdate], *, controller: BrokerId) -> dict[str, int]:
    """The levels after the updates; all of them or, where one is refused, none."""
    levels = dict(finalized)
    for wanted in {wanted.feature: wanted for wanted in updates}.values():
        try:
            _check(wanted, finalized.get(wanted.feature, 0), controller)
        except InvalidUpdateVersion as refusal:
            raise InvalidUpdateVersion(
                f"The update failed for all features since the following feature had an error: {refusal.message}"
            ) from None
        levels[wanted.feature] = wanted.level
    return {feature: level for feature, level in levels.items() if level > 0}


def _check(wanted: FeatureUpdate, current: int, controller: BrokerId) -> None:
    downgrade = wanted.upgrade_type in (UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE)
    if not downgrade and wanted.upgrade_type != UpgradeType.UPGRADE:
        raise _refused(wanted, "The controller does not support the given upgrade type.")
    if wanted.level < 0:
        raise _refused(wanted, "A feature version cannot be less than 0.")
    supported = SUPPORTED.get(wanted.feature)
    if supported is None:
        raise _refused(wanted, f"Local controller {controller} does not support this feature.")
    if not supported.low <= wanted.level <= supported.high:
        raise _refused(wanted, f"Local controller {controller} only supports versions {supported.low}-{supported.high}")
    if wanted.level < current and not downgrade:
        raise _refused(
            wanted,
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe"
            " downgrade.",
        )
    if wanted.level > current and downgrade:
        raise _refused(wanted, "Can't downgrade to a newer version.")
    if wanted.feature == METADATA_VERSION and wanted.level < current:
        _check_metadata_downgrade(wanted, current)


def _check_metadata_downgrade(wanted: FeatureUpdate, current: int) -> None:
    if not any(wanted.level < level <= current for level in _METADATA_CHANGED_AT):
        return
    why = (
        "Unsafe metadata downgrade is not supported in this version."
        if wanted.upgrade_type == UpgradeType.UNSAFE_DOWNGRADE
        else "Refusing to perform the requested downgrade because it might delete metadata information."
    )
    raise InvalidUpdateVersion(f"Unsupported metadata.version downgrade from {current} to {wanted.level}. {why}")


def _refused(wanted: FeatureUpdate, why: str) -> InvalidUpdateVersion:
    return InvalidUpdateVersion(f"Invalid update version {wanted.level} for feature {wanted.feature}. {why}")
