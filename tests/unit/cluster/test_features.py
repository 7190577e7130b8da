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
    assert dict(SUPPORTED) == {
        "metadata.version": (7, 30),
        "group.version": (0, 1),
        "transaction.version": (0, 2),
        "share.version": (0, 2),
    }


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (FeatureUpdate("nope", 1), "nope cannot be set to 1: broker 1 does not have this feature"),
        (FeatureUpdate("share.version", 3), "share.version cannot be set to 3: broker 1 has levels 0 to 2"),
        (FeatureUpdate("metadata.version", 99), "metadata.version cannot be set to 99: broker 1 has levels 7 to 30"),
        (FeatureUpdate("metadata.version", -1, UpgradeType.UNSAFE_DOWNGRADE), "levels begin at 0"),
        (FeatureUpdate("metadata.version", 29), "it is at 30, and going below must be asked for as a downgrade"),
        (FeatureUpdate("metadata.version", 30, 0), "upgrade type 0 is none of 1 (upgrade), 2"),
        (FeatureUpdate("metadata.version", 30, 9), "upgrade type 9 is none of 1 (upgrade), 2"),
        (
            FeatureUpdate("metadata.version", 29, UpgradeType.SAFE_DOWNGRADE),
            "cannot hold all metadata of the higher one",
        ),
        (FeatureUpdate("metadata.version", 29, UpgradeType.UNSAFE_DOWNGRADE), "that loses metadata cannot be forced"),
    ],
)
def test_updates_that_cannot_be_are_refused_with_the_reason(wanted: FeatureUpdate, why: str) -> None:
    message = refusal_of(wanted)
    assert message.startswith("no feature was changed: ")
    assert why in message


def test_a_downgrade_across_no_change_of_metadata_is_allowed() -> None:
    wanted = FeatureUpdate("metadata.version", 24, UpgradeType.SAFE_DOWNGRADE)
    assert update({"metadata.version": 29}, [wanted], controller=BrokerId(1)) == {"metadata.version": 24}


def test_an_upgrade_by_a_downgrade_type_is_refused() -> None:
    wanted = FeatureUpdate("metadata.version", 30, UpgradeType.SAFE_DOWNGRADE)
    assert "it is at 29, and a downgrade does not go above" in refusal_of(wanted, finalized={"metadata.version": 29})


def test_one_bad_update_spoils_the_good_ones() -> None:
    assert "nope" in refusal_of(FeatureUpdate("metadata.version", 30), FeatureUpdate("nope", 1))


def test_transactions_can_go_down_a_level_and_up_again() -> None:
    both = {"metadata.version": 30, "transaction.version": 2}
    down = FeatureUpdate("transaction.version", 0, UpgradeType.SAFE_DOWNGRADE)
    assert update(both, [down], controller=BrokerId(1)) == {"metadata.version": 30}
    assert update(NOW, [FeatureUpdate("transaction.version", 2)], controller=BrokerId(1)) == both
