"""What a broker costs, as the kernel counts it: CPU and memory of a process and everything it started."""

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from penstock.processes.ports import keep_ports

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory in MB; pss counts a page shared by several processes only in part."""

    rss_mb: float
    pss_mb: float


def _stat_fields(pid: int) -> list[str]:
    # The command name stands in parentheses and may hold spaces: everything else comes after the last one.
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def tree(*roots: int) -> list[int]:
    """The processes and their living descendants."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                children.setdefault(int(_stat_fields(int(entry.name))[1]), []).append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    found, waiting = [], list(roots)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting.extend(children.get(pid, ()))
    return found


def cpu_seconds(*roots: int) -> float:
    """User and system time of all threads of the processes, of their living children and of those they have reaped."""
    ticks = 0
    for pid in tree(*roots):
        try:
            ticks += sum(int(field) for field in _stat_fields(pid)[11:15])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return ticks / _TICKS_PER_S


def running_seconds(*roots: int) -> float:
    """The same of the threads that live now, to the nanosecond: for processes that do next to nothing."""
    spent_ns = 0
    for pid in tree(*roots):
        for thread in (_PROC / str(pid) / "task").glob("*/schedstat"):
            try:
                spent_ns += int(thread.read_text().split()[0])
            except (FileNotFoundError, ProcessLookupError):
                continue
    return spent_ns / 1e9


def memory(*roots: int) -> Memory:
    totals = {"Rss:": 0, "Pss:": 0}
    for pid in tree(*roots):
        try:
            rollup = (_PROC / str(pid) / "smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for line in rollup.splitlines():
            name, _, rest = line.partition(" ")
            if name in totals:
                totals[name] += int(rest.split()[0])
    return Memory(rss_mb=totals["Rss:"] * 1024 / 1e6, pss_mb=totals["Pss:"] * 1024 / 1e6)


def machine_busy_seconds() -> float:
    """CPU time used by everybody on the machine, and taken by the host (steal)."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = (
        int(field) for field in (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / _TICKS_PER_S


class _ThisProcess:
    """Owns ports for as long as the run lasts: brokers take their time to listen, and are started again."""


_THIS_PROCESS = _ThisProcess()


def free_port() -> int:
    """One that nobody else is given, now or later; for a program that sets SO_REUSEADDR, as every broker does."""
    return int(keep_ports(_THIS_PROCESS, "127.0.0.1:0").rpartition(":")[2])


def wait_for_port(port: int, *, within_s: float = 30.0) -> None:
    """Until somebody listens there."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
