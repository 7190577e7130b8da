"""Whoever of a local cluster ends unasked is told of, and started again only when somebody wants that."""

import signal
import time

import structlog

from penstock.cli.local.cluster import LocalCluster, Member
from penstock.cli.local.state import data_option_for

RESTART_PAUSE_S = 1.0
LOG_LINES_SHOWN = 5

_log = structlog.get_logger(__name__)


class Watching:
    def __init__(self, cluster: LocalCluster, *, restarts: bool) -> None:
        """`restarts`: start again whoever ended, after a pause."""
        self._cluster = cluster
        self._restarts = restarts
        self._alive = {name for name, member in cluster.members().items() if member.is_running}
        self._starting: set[str] = set()
        self._due_s: dict[str, float] = {}

    def look(self) -> None:
        for name, member in self._cluster.members().items():
            if not member.is_running:
                wanted = self._cluster.is_wanted(name) or self._due_s.get(name, float("inf")) <= time.monotonic()
                if name in self._alive:
                    self._on_end(name, member, for_restart=wanted)
                if wanted:
                    self._start(name, member)
            if name in self._starting and self._cluster.is_ready(member):
                self._starting.discard(name)
                self._cluster.tell()
                _log.info("ready again", member=name, pid=member.pid)

    def _on_end(self, name: str, member: Member, *, for_restart: bool) -> None:
        self._alive.discard(name)
        self._starting.discard(name)
        self._cluster.tell()
        if for_restart:
            _log.info("stopped, to be started again", member=name)
            return
        how = ended_how(member.exit_code)
        last_lines = [] if how.startswith("killed") else member.log_tail(LOG_LINES_SHOWN).splitlines()
        _log.warning("ended unasked", member=name, how=how, log=str(member.log_path))
        for line in last_lines:
            _log.warning("its last words", member=name, line=line)
        if self._restarts:
            self._due_s[name] = time.monotonic() + RESTART_PAUSE_S
        else:
            again = f"penstock local restart {name.removeprefix('broker-')}{data_option_for(self._cluster.folder)}"
            _log.info("start it again with", command=again)

    def _start(self, name: str, member: Member) -> None:
        self._due_s.pop(name, None)
        self._cluster.launch(member)
        self._alive.add(name)
        self._starting.add(name)
        _log.info("started again", member=name, pid=member.pid)


def ended_how(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"left with exit code {code}"
