"""Runs the penstock command inside the test's process, with its standard streams as values."""

import io
import sys
from dataclasses import dataclass

import pytest

from penstock.cli.program import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class Penstock:
    """`penstock("topic", "list")` against one broker."""

    def __init__(self, bootstrap: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capture = capfd
        monkeypatch.setenv("PENSTOCK_BOOTSTRAP", bootstrap)

    def __call__(self, *arguments: str, stdin: str | bytes = b"") -> Outcome:
        self._capture.readouterr()
        given = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = run(arguments)
        captured = self._capture.readouterr()
        return Outcome(code, captured.out, captured.err)
