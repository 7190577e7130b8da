"""The parts of penstock.testing that need no broker."""

import subprocess
import sys
from pathlib import Path

import pytest

import penstock.testing
from penstock.testing.process import ProcessBroker
from penstock.testing.running import as_settings


def test_settings_may_be_keywords_with_underscores_and_python_values() -> None:
    assert as_settings({"num.partitions": 3}, {"auto_create_topics_enable": False}) == {
        "num.partitions": "3",
        "auto.create.topics.enable": "false",
    }


def test_a_broker_under_test_always_has_ports_of_its_own_and_its_own_folder(tmp_path: Path) -> None:
    broker = ProcessBroker(tmp_path, {"log.dirs": "/somewhere/else", "num.partitions": "2"})
    ports = [
        int(broker.settings.pop(name).removeprefix(before))
        for name, before in (("listeners", "PLAINTEXT://127.0.0.1:"), ("penstock.http.listener", "127.0.0.1:"))
    ]
    assert all(ports) and len(set(ports)) == 2
    assert broker.settings == {
        "group.initial.rebalance.delay.ms": "0",
        "num.partitions": "2",
        "log.dirs": str(tmp_path / "data"),
    }


def test_an_unknown_mode_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match='"process" or "thread", not'), penstock.testing.broker(mode="container"):
        pass


def test_the_package_has_only_the_names_it_lists() -> None:
    assert penstock.testing.RunningBroker is not None
    with pytest.raises(AttributeError, match="no attribute 'zoo'"):
        _ = penstock.testing.zoo


def test_loading_the_plugin_loads_next_to_nothing() -> None:
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import penstock.testing.plugin\n"
        "print(sorted(set(sys.modules) - before))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "['penstock', 'penstock.testing', 'penstock.testing.plugin']"
