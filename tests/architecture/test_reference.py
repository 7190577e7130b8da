"""The reference is what the tables generate, and every API that is answered has a file and a row."""

import re
import subprocess
import sys
from pathlib import Path

import penstock.broker.handlers
from penstock.broker.registry import REGISTRY
from penstock.cli.api_reasons import REASONS
from penstock.wire.api import API_VERSIONS, BROKER_APIS

ROOT = Path(__file__).parents[2]
HANDLERS = Path(penstock.broker.handlers.__file__).parent


def test_the_reference_is_what_the_tables_generate() -> None:
    done = subprocess.run(
        [sys.executable, "tools/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_handler_is_in_a_file_named_after_its_api() -> None:
    misplaced = {
        key.name: answer.function.__module__
        for key, answer in REGISTRY.items()
        if answer.function.__module__ != f"penstock.broker.handlers.{key.name.lower()}"
    }
    assert not misplaced, f"one file an API, and the body in it: {misplaced}"


def test_every_answered_api_has_a_row_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "apis.md").read_text()
    rows = dict(re.findall(r"^\| (\d+) \| \w+ \| [^|]+ \| ([^|]*) \|", page, flags=re.MULTILINE))
    assert set(rows) == {str(int(key)) for key in BROKER_APIS}
    for key, answer in REGISTRY.items():
        low, high = answer.versions
        assert rows[str(int(key))].strip() == (f"{low} to {high}" if low != high else str(low)), key.name


def test_no_version_is_answered_that_kafka_does_not_have() -> None:
    for key, answer in REGISTRY.items():
        low, high = API_VERSIONS[key]
        assert low <= answer.versions[0] <= answer.versions[1] <= high, key.name


def test_every_api_that_is_not_answered_has_its_reason() -> None:
    unexplained = [key.name for key in BROKER_APIS if key not in REGISTRY and key not in REASONS]
    assert not unexplained, f"say in cli/api_reasons.py why these are not answered: {unexplained}"
    stale = [key.name for key in REASONS if key in REGISTRY]
    assert not stale, f"answered by now, so take their reason away: {stale}"
