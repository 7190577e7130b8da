"""The examples and the README's commands do what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.command import PATIENT

from penstock.testing import RunningBroker

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
WITHIN_S = 300


def patient(program: str) -> str:
    """Ten seconds are for people; a machine that stalls may take longer."""
    return program.replace("(10)", "(120)")


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("first_record.py", "0 en hello\n1 fr bonjour\n2 de hallo\n"),
        ("with_aiokafka.py", "0 tick 0\n1 tick 1\n2 tick 2\n"),
    ],
)
def test_an_example_runs(script: str, printed: str, penstock_broker: RunningBroker) -> None:
    outcome = subprocess.run(
        [sys.executable, "-c", patient((EXAMPLES / script).read_text()), penstock_broker.bootstrap],
        capture_output=True, text=True, timeout=WITHIN_S, check=False,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == printed


def test_the_pytest_example_passes(tmp_path: Path) -> None:
    example = tmp_path / "test_with_a_broker.py"
    example.write_text(patient((EXAMPLES / example.name).read_text()))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", str(example)]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False, cwd=ROOT)
    assert outcome.returncode == 0, outcome.stdout
    assert "2 passed" in outcome.stdout


def test_the_readme_program_is_the_one_that_runs(penstock_broker: RunningBroker) -> None:
    readme = (ROOT / "README.md").read_text()
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    assert "127.0.0.1:9092" in program
    command = [sys.executable, "-c", patient(program.replace("127.0.0.1:9092", penstock_broker.bootstrap))]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert outcome.stdout == "0 b'en' b'hello from Python'\n", outcome.stderr


AS_TYPED = f"""set -e -o pipefail
penstock() {{ [ "$1" = settings ] && command penstock "$@" || command penstock "$@" {" ".join(PATIENT)}; }}
"""
"""Each command has more time than a person would give it, unless it asks no broker."""


def test_the_tutorial_can_be_typed_from_top_to_bottom(penstock_broker: RunningBroker, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial" / "first-steps.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line and "penstock up" not in line]
    script = AS_TYPED + "\n".join(line for line in lines if "--follow" not in line)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    outcome = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=WITHIN_S, check=False, cwd=tmp_path,
        env={**os.environ, "PATH": path, "PENSTOCK_BOOTSTRAP": penstock_broker.bootstrap},
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    assert "ada\tone coffee" in outcome.stdout and '"value":"one more"' in outcome.stdout
    assert "4 records written to orders-copy" in outcome.stderr


def test_metrics_worth_a_look_exist() -> None:
    page = (ROOT / "docs" / "operate" / "monitoring.md").read_text()
    reference = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    table = page.split("## Metrics", 1)[1].split("A Prometheus job", 1)[0]
    named = re.findall(r"`((?:kafka|penstock|process)_[a-z_]+)`", table)
    assert len(named) > 10 and [name for name in named if f"`{name}`" not in reference] == []


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)  # fmt: skip
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []
