"""Processes named in a file: whether a pid is still the process that was meant, and what it is doing."""

import os
import signal
import time
from pathlib import Path

import msgspec

_PROC = Path("/proc")
_BOOT_ID = _PROC / "sys/kernel/random/boot_id"
_AFTER_NAME = 2
"""In /proc/PID/stat the fields are counted from here once the name, which may hold anything, is cut off."""
_STATE, _START_TICKS = 3 - _AFTER_NAME - 1, 22 - _AFTER_NAME - 1
POLL_S = 0.02


class ProcessRecord(msgspec.Struct, frozen=True):
    """A pid is given to another process one day; when it began, since which boot, is nobody else's."""

    pid: int
    began: str

    @classmethod
    def of(cls, pid: int) -> "ProcessRecord":
        fields = _stat(pid)
        return cls(pid, "" if fields is None else _began(fields))

    @property
    def state(self) -> str | None:
        """running, paused, or None when it is gone."""
        fields = _stat(self.pid)
        if fields is None or _began(fields) != self.began or fields[_STATE] in "ZX":
            return None
        return "paused" if fields[_STATE] in "Tt" else "running"

    def send(self, number: signal.Signals) -> bool:
        """False when it is gone."""
        if self.state is None:
            return False
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True

    def wait_for(self, state: str | None, *, within_s: float) -> bool:
        deadline = time.monotonic() + within_s
        while self.state != state:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True


def _stat(pid: int) -> list[str] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def _began(fields: list[str]) -> str:
    return f"{fields[_START_TICKS]}@{_BOOT_ID.read_text().strip()}"
