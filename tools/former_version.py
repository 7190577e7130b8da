"""Keeps what this version leaves behind, so that later ones can prove that they read it.

python -m tools.former_version 0.1.0

Run once a release, at its commit. Makes tests/integration/former_versions/0.1.0-{one,three}.tar.xz: data folders (and
etcd's) of one broker and of a cluster of three, stopped cleanly, with what clients saw there in found.json.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.support import former_version

KEPT = Path("tests/integration/former_versions")


def main(version: str) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        one, three = Path(scratch, "one"), Path(scratch, "three")
        for folder in (one, three):
            folder.mkdir()
            _make_key(folder / former_version.SECRETS_KEY)
        broker = former_version.lone_broker(one)
        broker.start()
        former_version.fill(broker.bootstrap, replicas=1)
        _tell(one, broker.bootstrap)
        broker.stop()
        with former_version.cluster(three) as cluster:
            former_version.fill(cluster.bootstrap, replicas=former_version.BROKERS)
            cluster.wait_until_in_sync()
            _tell(three, cluster.bootstrap)
        for folder in (one, three):
            _pack(folder, KEPT / f"{version}-{folder.name}.tar.xz")


def _make_key(file: Path) -> None:
    file.write_bytes(base64.b64encode(os.urandom(32)) + b"\n")
    file.chmod(0o600)


def _tell(folder: Path, bootstrap: str) -> None:
    (folder / former_version.FOUND).write_text(json.dumps(former_version.found(bootstrap)), encoding="utf-8")


def _pack(folder: Path, archive: Path) -> None:
    with tarfile.open(archive, "w:xz", preset=9) as kept:
        for file in sorted(folder.rglob("*")):
            if file.suffix != ".log" or file.parent.parent.name == "data":  # logs of records, not of processes
                kept.add(file, file.relative_to(folder), recursive=False)


if __name__ == "__main__":
    main(sys.argv[1])
