import pytest

from penstock.cluster import FeatureUpdate, UpgradeType
from penstock.cluster.features import SUPPORTED, update
from penstock.errors import InvalidUpdateVersion
from penstock.model import BrokerId

NOW = {"metadata.version": 30}


def refusal_of(*updates: FeatureUpdate, finalized: dict[str, int] | None = None) -> str:
    with pytest.raises(InvalidUpdateVersion) as refused:
        update(finalized or NOW, updates, controller=BrokerId(1))
    return refused.value.message


def test_only_what_is_built_is_supported() -> None:
    assert dict(SUPPORTED) == {"metadata.version": (7, 30)}


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (FeatureUpdate("nope", 1), "feature nope. Local controller 1 does not support this feature."),
        (FeatureUpdate("group.version", 1), "Local controller 1 does not support this feature."),
        (FeatureUpdate("metadata.version", 99), "Local controller 1 only supports versions 7-30"),
        (FeatureUpdate("metadata.version", -1, UpgradeType.UNSAFE_DOWNGRADE), "cannot be less than 0"),
        (FeatureUpdate("metadata.version", 29), "Can't downgrade the version of this feature without"),
        (FeatureUpdate("metadata.version", 30, 0), "does not support the given upgrade type"),
        (FeatureUpdate("metadata.version", 30, 9), "does not support the given upgrade type"),
        (FeatureUpdate("metadata.version", 29, UpgradeType.SAFE_DOWNGRADE), "might delete metadata information"),
        (FeatureUpdate("metadata.version", 29, UpgradeType.UNSAFE_DOWNGRADE), "Unsafe metadata downgrade is not"),
    ],
)
def test_updates_that_cannot_be_are_refused_in_kafkas_words(wanted: FeatureUpdate, why: str) -> None:
    message = refusal_of(wanted)
    assert message.startswith("The update failed for all features since the following feature had an error: ")
    assert why in message


def test_a_downgrade_across_no_change_of_metadata_is_allowed() -> None:
    wanted = FeatureUpdate("metadata.version", 24, UpgradeType.SAFE_DOWNGRADE)
    assert update({"metadata.version": 29}, [wanted], controller=BrokerId(1)) == {"metadata.version": 24}


def test_an_upgrade_by_a_downgrade_type_is_refused() -> None:
    wanted = FeatureUpdate("metadata.version", 30, UpgradeType.SAFE_DOWNGRADE)
    assert "Can't downgrade to a newer version." in refusal_of(wanted, finalized={"metadata.version": 29})


def test_one_bad_update_spoils_the_good_ones() -> None:
    assert "nope" in refusal_of(FeatureUpdate("metadata.version", 30), FeatureUpdate("nope", 1))
