"""The features a cluster agrees on, and what UpdateFeatures may do to them.

A feature is listed once it is true here (RULES 38). group.version 1 says that groups of the consumer protocol are
served (KIP-848); at 0 their members are refused. share.version 1 says the same of share groups (KIP-932), and 2 that
what they give up goes to dead-letter topics (KIP-1191). transaction.version tells clients how to end transactions: at 2
every end raises the producer's epoch, and producing adds partitions (KIP-890); clients that do it the older way are
served at any level. metadata.version tells clients which Kafka release's metadata they may expect; what we store does
not depend on it, but going below a level at which Kafka's own metadata changed is refused, as tools expect.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from penstock.cluster.commands import FeatureUpdate, UpgradeType
from penstock.cluster.image.shapes import BrokerImage
from penstock.errors import InvalidUpdateVersion, UnsupportedVersion
from penstock.model import BrokerId

METADATA_VERSION = "metadata.version"
GROUP_VERSION = "group.version"
TRANSACTION_VERSION = "transaction.version"
SHARE_VERSION = "share.version"
DEAD_LETTERS_FROM = 2
"""The share.version."""


class Levels(NamedTuple):
    low: int
    high: int


SUPPORTED: Mapping[str, Levels] = {
    METADATA_VERSION: Levels(7, 30),
    GROUP_VERSION: Levels(0, 1),
    TRANSACTION_VERSION: Levels(0, 2),
    SHARE_VERSION: Levels(0, 2),
}
"""metadata.version 7 is Kafka 3.3-IV3, 30 is 4.3-IV0: the levels that Kafka 4.3.0 supports."""


class FeaturesImage(NamedTuple):
    """The cluster's features as the image holds them."""

    finalized: dict[str, int]
    epoch: int
    """Rises with every change, so that clients can tell which of two answers is newer."""
    supported: Mapping[str, Levels] = SUPPORTED

    @property
    def has_dead_letters(self) -> bool:
        return self.finalized.get(SHARE_VERSION, 0) >= DEAD_LETTERS_FROM

    def require(self, feature: str) -> None:
        """For requests of something that the cluster may have switched off."""
        if not self.finalized.get(feature):
            raise UnsupportedVersion(f"the feature {feature} is off")


INITIAL: Mapping[str, int] = {METADATA_VERSION: 30, GROUP_VERSION: 1, TRANSACTION_VERSION: 2, SHARE_VERSION: 2}
"""What a new cluster begins with."""

_METADATA_CHANGED_AT = frozenset((8, 11, 13, 14, 15, 17, 23, 30))
"""Levels at which Kafka's stored metadata changed: it does not go back across one."""


def update(
    finalized: Mapping[str, int],
    updates: Sequence[FeatureUpdate],
    *,
    controller: BrokerId,
    brokers: Mapping[BrokerId, BrokerImage] | None = None,
) -> dict[str, int]:
    """The levels after the updates; all of them or, where one is refused, none. Every broker must be able to live with
    them.
    """
    levels = dict(finalized)
    for wanted in {wanted.feature: wanted for wanted in updates}.values():
        try:
            _check(wanted, finalized.get(wanted.feature, 0), controller)
            _check_brokers(wanted, brokers or {})
        except InvalidUpdateVersion as refusal:
            raise InvalidUpdateVersion(f"no feature was changed: {refusal.message}") from None
        levels[wanted.feature] = wanted.level
    return {feature: level for feature, level in levels.items() if level > 0}


def _check(wanted: FeatureUpdate, current: int, controller: BrokerId) -> None:
    downgrade = wanted.upgrade_type in (UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE)
    if not downgrade and wanted.upgrade_type != UpgradeType.UPGRADE:
        raise _refused(
            wanted,
            f"upgrade type {wanted.upgrade_type} is none of 1 (upgrade), 2 (safe downgrade), 3 (unsafe downgrade)",
        )
    if wanted.level < 0:
        raise _refused(wanted, "levels begin at 0, which is off")
    supported = SUPPORTED.get(wanted.feature)
    if supported is None:
        raise _refused(wanted, f"broker {controller} does not have this feature")
    if not supported.low <= wanted.level <= supported.high:
        raise _refused(wanted, f"broker {controller} has levels {supported.low} to {supported.high}")
    if wanted.level < current and not downgrade:
        raise _refused(wanted, f"it is at {current}, and going below must be asked for as a downgrade")
    if wanted.level > current and downgrade:
        raise _refused(wanted, f"it is at {current}, and a downgrade does not go above")
    if wanted.feature == METADATA_VERSION and wanted.level < current:
        _check_metadata_downgrade(wanted, current)


def _check_brokers(wanted: FeatureUpdate, brokers: Mapping[BrokerId, BrokerImage]) -> None:
    for broker_id, broker in sorted(brokers.items()):
        if broker.features:  # an older release does not say
            low, high = broker.features.get(wanted.feature, (0, 0))
            if not low <= wanted.level <= high:
                raise _refused(wanted, f"broker {broker_id} has levels {low} to {high}")


def missing(finalized: Mapping[str, int]) -> str | None:
    """What the cluster has agreed on and this broker cannot do, in words; None where it can do everything."""
    for feature, level in sorted(finalized.items()):
        supported = SUPPORTED.get(feature)
        if supported is None:
            return f"the cluster uses {feature} {level}, which this release does not have: install a newer one"
        if not supported.low <= level <= supported.high:
            return (
                f"the cluster uses {feature} {level}, and this release has levels {supported.low} to {supported.high}:"
                " install another one"
            )
    return None


def _check_metadata_downgrade(wanted: FeatureUpdate, current: int) -> None:
    if not any(wanted.level < level <= current for level in _METADATA_CHANGED_AT):
        return
    why = (
        "a downgrade that loses metadata cannot be forced"
        if wanted.upgrade_type == UpgradeType.UNSAFE_DOWNGRADE
        else "the lower level cannot hold all metadata of the higher one"
    )
    raise _refused(wanted, f"it is at {current}, and {why}")


def _refused(wanted: FeatureUpdate, why: str) -> InvalidUpdateVersion:
    return InvalidUpdateVersion(f"{wanted.feature} cannot be set to {wanted.level}: {why}")
