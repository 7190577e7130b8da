"""CPU and memory are counted for a process with everything it started."""

import os
import socket
import subprocess
import sys

from benchmarks import processes

_BUSY = "import time\nwhile time.process_time() < 0.2: pass\n"


def test_cpu_includes_children_that_have_ended() -> None:
    before = processes.cpu_seconds(os.getpid())
    subprocess.run([sys.executable, "-c", _BUSY], check=True)
    assert processes.cpu_seconds(os.getpid()) - before >= 0.15


def test_the_time_of_living_threads_is_known_to_less_than_a_tick() -> None:
    before = processes.running_seconds(os.getpid())
    sum(range(100_000))
    assert 0 < processes.running_seconds(os.getpid()) - before < 10


def test_several_processes_are_counted_together() -> None:
    mine, everyone = processes.cpu_seconds(os.getpid()), processes.cpu_seconds(os.getpid(), os.getpid())
    assert everyone >= 2 * mine


def test_memory_includes_a_living_child() -> None:
    alone = processes.memory(os.getpid())
    hold = "import sys; held = bytearray(50_000_000); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"held\n"
        together = processes.memory(os.getpid())
        child.communicate()
    assert together.rss_mb - alone.rss_mb >= 50


def test_a_free_port_can_be_bound() -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", processes.free_port()))
