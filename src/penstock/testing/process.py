"""A broker in a process of its own, which ends with this one however this one ends.

The child holds the reading end of a pipe (its standard input) and stops when that reports end of file. The kernel
closes the writing end whenever this process goes, kill -9 included.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import penstock
from penstock.processes.broker import BrokerProcess
from penstock.processes.child import Child
from penstock.testing.running import FOR_TESTS


class ProcessBroker(BrokerProcess):
    def __init__(self, folder: Path, settings: Mapping[str, str], *, orphan_removes: Path | None = None) -> None:
        """`orphan_removes`: the folder that the broker deletes when it outlives this process, as nobody else will."""
        removes = None if orphan_removes is None else str(orphan_removes)

        def run(broker: BrokerProcess, child: Child) -> None:
            orders = json.dumps({"settings": broker.settings, "remove": removes})
            child.run(
                # -P: a `penstock` folder in the current directory must not be taken for the package.
                [sys.executable, "-P", "-m", "penstock.testing.child", orders],
                environment={**os.environ, "PYTHONPATH": _search_path()},
                log=broker.log_path,
                lifeline=True,
            )

        super().__init__(folder, {**FOR_TESTS, **settings}, run)


def _search_path() -> str:
    """Where the child finds the penstock that this process uses, even if only pytest's settings put it on the path."""
    package_parent = str(Path(penstock.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([package_parent, inherited] if inherited else [package_parent])
