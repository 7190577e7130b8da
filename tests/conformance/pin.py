"""What Penstock answers where it differs from Kafka on purpose, pinned in answers.json.

`python -m tests.conformance.pin` plays the whole table and writes the file anew; what changed is reviewed as a diff.
"""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.conformance.compare import pinned
from tests.conformance.differences import DIFFERENCES

FILE = Path(__file__).with_name("answers.json")
ANSWERS: dict[str, dict[str, dict[str, Any]]] = json.loads(FILE.read_text()) if FILE.exists() else {}


def main() -> None:
    from tests.conformance.conftest import SETTINGS, compared
    from tests.conformance.run import play
    from tests.conformance.situations.all import TABLE
    from tests.conformance.stagehand import Stagehand
    from tests.support.kafka import ApacheKafka
    from tests.support.raw import port_of

    import penstock.testing

    settings = {name: value for name, value in SETTINGS.items() if name != "node.id"}
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as folder,
        ApacheKafka(Path(folder) / "kafka", settings=settings) as kafka,
        penstock.testing.broker(SETTINGS, mode="process") as ours,
        ThreadPoolExecutor(2) as pool,
    ):
        theirs = pool.submit(play, TABLE, Stagehand("Kafka", kafka.port, settles_later=True))
        here = pool.submit(play, TABLE, Stagehand("Penstock", port_of(ours.bootstrap), settles_later=False))
        findings = compared(theirs.result(), here.result())
    write(pinned((each for found in findings.values() for each in found), DIFFERENCES))


def write(answers: dict[str, dict[str, dict[str, Any]]]) -> None:
    FILE.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
