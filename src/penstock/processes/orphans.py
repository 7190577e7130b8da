"""Processes that must not outlive this one, however it ends.

A broker of a test watches its standard input for that (testing/child.py). A program that does not gets a guard: a
shell that reads pids from a pipe and kills them when the pipe ends. The kernel closes our end whenever this process
goes, kill -9 included. Chosen over PR_SET_PDEATHSIG because that fires when the *thread* that started the child
ends, which may be long before the process does, and is Linux only.
"""

import subprocess

_GUARD = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids'


class OrphanKiller:
    """Processes are added one by one. Those waited for are forgotten."""

    def __init__(self) -> None:
        self._guard: subprocess.Popen[bytes] | None = None
        self._processes: list[subprocess.Popen[bytes]] = []

    def add(self, process: "subprocess.Popen[bytes]") -> None:
        self._processes = [each for each in self._processes if each.returncode is None]
        self._processes.append(process)
        self._tell([each.pid for each in self._processes])

    def close(self) -> None:
        """Let them live: whoever started them has seen to them."""
        if self._guard is not None:
            self._tell([])
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

    def _tell(self, pids: list[int]) -> None:
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
