"""Builds the C load driver against the client library of the confluent-kafka wheel, and runs it.

The loads never come from Python: the harness and the client share two cores with the broker, and a slow client would be
what gets measured.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "driver"
_GRACE_S = 15.0


class LoadFailed(Exception):
    """A load did not do what it was asked: its figures would be worthless."""


def client_library() -> Path:
    """The shared library inside the locked confluent-kafka wheel."""
    files = distribution("confluent-kafka").files or []
    found = [Path(str(f.locate())) for f in files if f.name.startswith("librdkafka") and ".so" in f.name]
    if len(found) != 1:
        raise LoadFailed(f"expected one librdkafka in the confluent-kafka wheel, found {found}")
    return found[0].resolve()


def build(
    into: Path, sources: Sequence[Path] | None = None, *, name: str = "loadgen", flags: Sequence[str] = ()
) -> Path:
    """Compile the driver unless the one there is newer than its sources, and made with the same libraries."""
    library = client_library()
    chosen = sorted(SOURCES.glob("*.c")) if sources is None else list(sources)
    binary, linked = into / name, into / f"{name}-linked-with"
    headers = {path for folder in {source.parent for source in chosen} for path in folder.glob("*.h")}
    newest = max(path.stat().st_mtime for path in (*chosen, *headers, library))
    link = [str(library), f"-Wl,-rpath,{library.parent}", *flags]
    is_same = linked.exists() and linked.read_text() == " ".join(link)
    if is_same and binary.exists() and binary.stat().st_mtime > newest:
        return binary
    into.mkdir(parents=True, exist_ok=True)
    common = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-pthread"]
    subprocess.run(["gcc", *common, *map(str, chosen), *link, "-o", str(binary)], check=True)
    linked.write_text(" ".join(link))
    return binary


class LoadDriver:
    """Runs one load at a time; every load answers with the figures it printed."""

    def __init__(self, binary: Path) -> None:
        self.binary = binary

    def run(
        self,
        load: str,
        *arguments: str | int | float,
        settings: Mapping[str, str | int] | None = None,
        timeout_s: float = 120.0,
    ) -> dict[str, Any]:
        command = self._command(load, arguments, settings or {}, timeout_s)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s + _GRACE_S, check=False)
        except subprocess.TimeoutExpired:
            raise LoadFailed(f"{load}: not done after {timeout_s:.0f} s") from None
        return _figures(load, done.returncode, done.stdout, done.stderr)

    def start(
        self, load: str, *arguments: str | int | float, settings: Mapping[str, str | int], timeout_s: float
    ) -> "RunningLoad":
        command = self._command(load, arguments, settings, timeout_s)
        return RunningLoad(load, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))

    def _command(
        self, load: str, arguments: Sequence[str | int | float], settings: Mapping[str, str | int], timeout_s: float
    ) -> list[str]:
        pairs = [part for name, value in settings.items() for part in ("-X", f"{name}={value}")]
        return [str(self.binary), load, *map(str, arguments), "-T", str(timeout_s), *pairs]


class RunningLoad:
    """A load begun before its broker is there (the start-up measurement)."""

    def __init__(self, load: str, process: subprocess.Popen[str]) -> None:
        self._load = load
        self._process = process

    def finish(self, timeout_s: float) -> dict[str, Any]:
        try:
            out, err = self._process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.stop()
            raise LoadFailed(f"{self._load}: not done after {timeout_s:.0f} s") from None
        return _figures(self._load, self._process.returncode, out, err)

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


def _figures(load: str, code: int, out: str, err: str) -> dict[str, Any]:
    if code != 0:
        raise LoadFailed(f"{load} failed ({code}): {err.strip()[-2000:]}")
    figures: dict[str, Any] = json.loads(out)
    return figures
