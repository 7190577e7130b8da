"""What packaging/ ships can be used as it is."""

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from penstock.settings import Config, advertised_endpoints, data_folders, listeners, load_settings
from penstock.settings.broker import (
    DEFAULT_REPLICATION_FACTOR,
    MIN_INSYNC_REPLICAS,
    PENSTOCK_ETCD_ENDPOINTS,
    PENSTOCK_FLUSH_BEFORE_ACK,
    PENSTOCK_SHUTDOWN_TIMEOUT_MS,
)

PACKAGING = Path(__file__).parents[3] / "packaging"
EXAMPLES = sorted((PACKAGING / "examples").glob("*.properties"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_configuration_loads_and_every_line_of_it_acts(example: Path) -> None:
    config = load_settings(example)
    assert config.unused == ()
    assert listeners(config) and data_folders(config)


def test_the_four_examples_are_there() -> None:
    assert [example.stem for example in EXAMPLES] == ["cluster", "container", "laptop", "server"]


def test_the_broker_of_a_cluster_keeps_three_replicas_and_writes_with_two() -> None:
    config = load_settings(PACKAGING / "examples" / "cluster.properties")
    assert (config[DEFAULT_REPLICATION_FACTOR], config[MIN_INSYNC_REPLICAS]) == (3, 2)
    assert len(config[PENSTOCK_ETCD_ENDPOINTS]) == 3


def test_the_container_tells_each_client_the_address_it_can_reach() -> None:
    told = advertised_endpoints(load_settings(PACKAGING / "examples" / "container.properties"))
    assert {name: f"{host}:{port}" for name, (host, port) in told.items()} == {
        "INTERNAL": "penstock:29092",
        "HOST": "localhost:9092",
    }


def test_the_broker_on_a_server_acknowledges_only_what_is_on_disk() -> None:
    assert load_settings(PACKAGING / "examples" / "server.properties")[PENSTOCK_FLUSH_BEFORE_ACK]


def test_the_systemd_unit_waits_for_readiness_and_raises_the_file_limit() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(PACKAGING / "penstock.service")
    service = unit["Service"]
    assert service["Type"] == "notify"
    assert int(service["LimitNOFILE"]) >= 65_536
    assert service["ExecStart"].endswith("penstock up --config /etc/penstock/penstock.properties --quiet")
    assert service["NoNewPrivileges"] == "yes"
    assert unit["Install"]["WantedBy"] == "multi-user.target"


def test_the_unit_waits_longer_for_a_stop_than_the_broker_itself_does() -> None:
    unit = (PACKAGING / "penstock.service").read_text()
    wait_ms = int(unit.split("TimeoutStopSec=", 1)[1].split()[0]) * 1_000
    assert wait_ms > Config.for_broker()[PENSTOCK_SHUTDOWN_TIMEOUT_MS]


def test_the_template_differs_from_the_unit_only_in_names() -> None:
    lines = {
        name: [line for line in (PACKAGING / name).read_text().splitlines() if line and not line.startswith("#")]
        for name in ("penstock.service", "penstock@.service")
    }
    differing = [
        (one, other)
        for one, other in zip(lines["penstock.service"], lines["penstock@.service"], strict=True)
        if one != other
    ]
    assert len(differing) == 6 and all("%i" in other for _, other in differing)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd to ask")
@pytest.mark.parametrize(("name", "asked"), [("penstock.service", None), ("penstock@.service", "penstock@2.service")])
def test_systemd_understands_the_unit(name: str, asked: str | None, tmp_path: Path) -> None:
    program = tmp_path / "penstock"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / (asked or name)
    unit.write_text((PACKAGING / name).read_text().replace("/opt/penstock/bin/penstock", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
