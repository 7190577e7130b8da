"""The commands of docs/reference/rest.md work as they are printed, one after the other."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.web import web

import penstock.testing

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "rest.md"


def test_the_commands_of_the_page_work() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    with penstock.testing.broker() as broker, web(broker.bootstrap) as running:
        script = "set -euo pipefail\n" + "\n".join(blocks).replace("http://127.0.0.1:8080", running.url)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script], env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=300,
            check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"value":"{\\"coffee\\":1}"' in done.stdout and "event: record" in done.stdout
    assert '"group":"readers","total":' in done.stdout
