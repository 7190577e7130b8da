"""What packaging/ ships can be used as it is."""

import configparser
from pathlib import Path

import pytest

from penstock.settings import advertised_endpoints, data_folders, listeners, load_settings
from penstock.settings.broker import PENSTOCK_FLUSH_BEFORE_ACK

PACKAGING = Path(__file__).parents[3] / "packaging"
EXAMPLES = sorted((PACKAGING / "examples").glob("*.properties"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_configuration_loads_and_every_line_of_it_acts(example: Path) -> None:
    config = load_settings(example)
    assert config.unused == ()
    assert listeners(config) and data_folders(config)


def test_the_three_examples_are_there() -> None:
    assert [example.stem for example in EXAMPLES] == ["container", "laptop", "production-single"]


def test_the_container_tells_each_client_the_address_it_can_reach() -> None:
    told = advertised_endpoints(load_settings(PACKAGING / "examples" / "container.properties"))
    assert {name: f"{host}:{port}" for name, (host, port) in told.items()} == {
        "INTERNAL": "penstock:9092",
        "HOST": "localhost:9094",
        "OUTSIDE": "queue.example.com:19095",
    }


def test_the_single_production_broker_acknowledges_only_what_is_on_disk() -> None:
    assert load_settings(PACKAGING / "examples" / "production-single.properties")[PENSTOCK_FLUSH_BEFORE_ACK]


def test_the_systemd_unit_waits_for_readiness_and_raises_the_file_limit() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(PACKAGING / "penstock.service")
    service = unit["Service"]
    assert service["Type"] == "notify"
    assert int(service["LimitNOFILE"]) >= 65_536
    assert service["ExecStart"].endswith("penstock up --config /etc/penstock/penstock.properties")
    assert service["NoNewPrivileges"] == "yes"
    assert unit["Install"]["WantedBy"] == "multi-user.target"
