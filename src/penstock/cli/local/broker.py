"""One broker of a local cluster: a `penstock up` of its own, with its settings in a file for people to read."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from penstock.processes.broker import BrokerProcess
from penstock.processes.child import UP, Child
from penstock.processes.orphans import OrphanKiller

SETTINGS_FILE = "broker.properties"


def local_broker(
    folder: Path, settings: Mapping[str, str], *, under: Sequence[str], orphans: OrphanKiller
) -> BrokerProcess:
    """`under`: a command that turns into what it starts (ip netns exec)."""
    file = folder / SETTINGS_FILE

    def run(broker: BrokerProcess, child: Child) -> None:
        _write_settings(file, broker.settings)
        child.run([*under, *UP, "--config", file], environment=_environment(), log=broker.log_path)

    return BrokerProcess(folder, settings, run, orphans=orphans)


def _write_settings(file: Path, settings: Mapping[str, str]) -> None:
    lines = [f"{name}={_escaped(value)}" for name, value in sorted(settings.items())]
    with open(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as opened:
        opened.write("# Written by `penstock up --brokers` at every start: give it --set and --config instead.\n")
        opened.write("\n".join(lines) + "\n")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _environment() -> dict[str, str]:
    """Settings in variables have gone into the file: they must not win over what is this broker's own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
