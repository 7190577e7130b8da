"""The tutorial on consumer groups does what it says, from the first command to the last."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.command import PATIENT

from penstock.testing import RunningBroker

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "consumer-groups.md"
AS_COMMAND = f'set -e\npenstock() {{ "{sys.executable}" -m penstock.cli "$@" {" ".join(PATIENT)}; }}\n'


def run(language: str, text: str, bootstrap: str) -> str:
    text = text.replace("127.0.0.1:9092", bootstrap)
    command = [sys.executable, "-c", text] if language == "python" else ["bash", "-c", AS_COMMAND + text]
    outcome = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PENSTOCK_BOOTSTRAP": bootstrap},
    )  # fmt: skip
    assert outcome.returncode == 0, f"{text}\n{outcome.stderr}"
    return outcome.stdout


def test_the_tutorial_on_groups_can_be_followed(penstock_broker: RunningBroker) -> None:
    blocks = re.findall(r"```(sh|python)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    created, worked, looked, consumed, moved, deleted = (
        run(language, text, penstock_broker.bootstrap) for language, text in blocks
    )
    assert created.startswith("created jobs\n")
    assert sorted(int(line.split()[1]) for line in worked.splitlines()) == list(range(1, 21))
    assert re.search(r"^workers +empty", looked, re.MULTILINE) and re.search(r"total .* 0 +0\.0", looked)
    assert sorted(consumed.split()) == ["21", "22", "23", "24"]
    assert [line.split()[:2] for line in moved.splitlines()].count(["jobs", "0"]) == 4
    assert deleted == "deleted workers\n"
