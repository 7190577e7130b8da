"""Processes of others that must not outlive this one, however it ends.

A broker of ours watches its standard input for that (child.py); a program that does not gets a guard: a shell that
reads pids from a pipe and kills them when the pipe ends. The kernel closes our end whenever this process goes, kill -9
included.
"""

import subprocess
from collections.abc import Iterable

_GUARD = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids'


class OrphanKiller:
    def __init__(self) -> None:
        self._guard: subprocess.Popen[bytes] | None = None

    def watch(self, pids: Iterable[int]) -> None:
        """From now on these, and no others; by another guard where somebody ended the one there was."""
        if self._guard is not None and self._guard.poll() is not None:
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard = None
        if self._guard is None:
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        assert self._guard.stdin is not None
        self._guard.stdin.write(" ".join(str(pid) for pid in pids).encode() + b"\n")
        self._guard.stdin.flush()

    def close(self) -> None:
        """Let them live: whoever started them has seen to them."""
        if self._guard is not None:
            self.watch(())
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None


class GuardedProcesses:
    """Processes that are added one by one, and killed if this process goes. Those waited for are forgotten."""

    def __init__(self) -> None:
        self._killer = OrphanKiller()
        self._processes: list[subprocess.Popen[bytes]] = []

    def add(self, process: "subprocess.Popen[bytes]") -> None:
        self._processes = [each for each in self._processes if each.returncode is None]
        self._processes.append(process)
        self._killer.watch([each.pid for each in self._processes])

    def close(self) -> None:
        self._killer.close()
