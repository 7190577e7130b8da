"""A web process of a test: `penstock web` as a program, on a free port."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

START = "is at "


class Web:
    def __init__(self, process: "subprocess.Popen[str]", url: str) -> None:
        self.process = process
        self.url = url

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def web(bootstrap: str, *options: str, environment: dict[str, str] | None = None) -> Iterator[Web]:
    """Ended when the block is; killed if it does not end."""
    command = (sys.executable, "-P", "-m", "penstock.cli", "web", "-b", bootstrap, "--port", "0", *options)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONWARNINGS": "default"} | (environment or {}),
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = []
        while START not in (line := process.stderr.readline()):
            said.append(line)
            assert line, f"the web process did not start:\n{''.join(said)}"
        # Read on, so that it never waits for us.
        reading = threading.Thread(target=_copy, args=(process.stderr,), daemon=True)
        reading.start()
        yield Web(process, line.partition(START)[2].strip())
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        reading.join()
        if process.stderr is not None:
            process.stderr.close()


def _copy(stream: "Iterator[str]") -> None:
    for line in stream:
        sys.stderr.write(line)
