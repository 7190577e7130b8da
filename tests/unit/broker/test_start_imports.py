"""What a broker process does not load at its start: each comes when something first uses it."""

import json
import subprocess
import sys
from typing import Any

LATER = ("cryptography", "h11", "re2", "cramjam", "grpc", "confluent_kafka", "pyarrow", "pyspark", "sqlite3", "difflib")

START = """
import json, sys
import penstock.cli.serving, penstock.admin.program
"""


def in_a_process(code: str) -> Any:
    """What the code leaves in `told`, after the imports of a broker's start."""
    done = subprocess.run(
        [sys.executable, "-c", f"{START}\n{code}\nprint(json.dumps(told))"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_start_imports_nothing_that_only_other_programs_need() -> None:
    assert in_a_process(f"told = [name for name in {LATER} if name in sys.modules]") == []


def test_no_message_is_read_or_written_before_a_client_asks() -> None:
    assert in_a_process("told = [name for name in sys.modules if name.startswith('penstock.wire.codecs')]") == []
