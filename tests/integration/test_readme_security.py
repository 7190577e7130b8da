"""The README's section on a secured broker does what it says, from the first command to the last."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.command import PATIENT
from tests.support.secured import broker_up, environment, two_free_ports

from penstock.processes.secured import SecureFolder

README = Path(__file__).parents[2] / "README.md"
PENSTOCK = f'set -e\npenstock() {{ "{sys.executable}" -m penstock.cli "$@"; }}\n'
PATIENTLY = f'set -e\npenstock() {{ "{sys.executable}" -m penstock.cli "$@" {" ".join(PATIENT)}; }}\n'


def run(text: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, capture_output=True, text=True, timeout=300, check=False, env=environment()
    )
    assert done.returncode == 0, f"{text}\n{done.stderr}"
    return done.stdout


def test_the_section_can_be_followed(tmp_path: Path) -> None:
    section = README.read_text().partition("## A secured broker in two minutes")[2].partition("\n## ")[0]
    begin, use = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    init, up = begin.splitlines()
    made = run(f"{PENSTOCK}{init} --port {two_free_ports()}", tmp_path)
    assert up in made  # what init says to do next is what the README says
    folder = SecureFolder(tmp_path / "penstock-secure")
    assert up == f"penstock up --config {folder.settings.relative_to(tmp_path)}"
    with broker_up(folder):
        told = run(PATIENTLY + use, tmp_path)
    assert told.splitlines()[0] == "created orders" and told.splitlines()[-1] == "one coffee"
    assert (tmp_path / "alice.properties").stat().st_mode & 0o077 == 0
    events = "".join(path.read_text() for path in folder.audit.rglob("*") if path.is_file())
    assert "alice" in events and "orders" in events
