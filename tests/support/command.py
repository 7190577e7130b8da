"""Runs the penstock command inside the test's process, with its standard streams as values."""

import io
import sys
from dataclasses import dataclass

import pytest

from penstock.cli import client
from penstock.cli.client import Cluster
from penstock.cli.program import run

PATIENCE_S = 10.0, 120.0
"""What a command has by default, which is for people, and what it has here, since a busy machine may take longer."""
PATIENT = ("--timeout", f"{PATIENCE_S[1]:g}")
"""The same for a command in a process of its own."""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def _patient(bootstrap: str, properties: dict[str, str], timeout_s: float) -> Cluster:
    return Cluster(bootstrap, properties, PATIENCE_S[1] if timeout_s == PATIENCE_S[0] else timeout_s)


def make_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are run in this process wait for answers as PATIENT does."""
    monkeypatch.setattr(client, "Cluster", _patient)


class Penstock:
    """`penstock("topic", "list")` against one broker."""

    def __init__(self, bootstrap: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capture = capfd
        monkeypatch.setenv("PENSTOCK_BOOTSTRAP", bootstrap)
        make_patient(monkeypatch)

    def __call__(self, *arguments: str, stdin: str | bytes = b"") -> Outcome:
        self._capture.readouterr()
        given = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = run(arguments)
        captured = self._capture.readouterr()
        return Outcome(code, captured.out, captured.err)
