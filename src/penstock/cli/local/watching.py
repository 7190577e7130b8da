"""Whoever of a local cluster ends unasked is told of, and started again only when somebody wants that."""

import structlog

from penstock.cli.local.cluster import LocalCluster
from penstock.cli.local.state import data_option_for
from penstock.processes.child import ended_how
from penstock.processes.supervisor import (
    Ended,
    News,
    NotStartedAgain,
    ReadyAgain,
    StartedAgain,
    StoppedForRestart,
    Supervisor,
)

LOG_LINES_SHOWN = 5

_log = structlog.get_logger(__name__)


class Watching:
    def __init__(self, cluster: LocalCluster, *, restarts: bool) -> None:
        """`restarts`: start again whoever ended, after a pause."""
        self._cluster = cluster
        self._members = cluster.members()
        self._supervisor = Supervisor(self._members, restarts=restarts, is_wanted=cluster.is_wanted)

    def look(self) -> None:
        if found := self._supervisor.look():
            self._cluster.tell()
            for news in found:
                self._tell(news)

    def _tell(self, news: News[str]) -> None:
        match news:
            case Ended(name, again_in_s):
                self._tell_end(name, again_in_s)
            case StoppedForRestart(name):
                _log.info("stopped, to be started again", member=name)
            case StartedAgain(name):
                _log.info("started again", member=name, pid=self._members[name].pid)
            case NotStartedAgain(name, error, again_in_s):
                _log.error("not started again", member=name, reason=str(error), again_in_s=again_in_s)
            case ReadyAgain(name):
                _log.info("ready again", member=name, pid=self._members[name].pid)

    def _tell_end(self, name: str, again_in_s: float | None) -> None:
        member = self._members[name]
        how = ended_how(member.exit_code)
        last_lines = [] if how.startswith("killed") else member.log_tail(LOG_LINES_SHOWN).splitlines()
        _log.warning("ended unasked", member=name, how=how, log=str(member.log_path))
        for line in last_lines:
            _log.warning("its last words", member=name, line=line)
        if again_in_s is None:
            again = f"penstock local restart {name.removeprefix('broker-')}{data_option_for(self._cluster.folder)}"
            _log.info("start it again with", command=again)
