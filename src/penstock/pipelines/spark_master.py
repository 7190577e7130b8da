"""Where Spark runs, as --master says it: told where it is misspelt or nobody is there, which Spark does at length."""

from __future__ import annotations

import re
import socket

from penstock.pipelines.problems import Kind, PipelineProblem

ANSWER_WITHIN_S = 10.0
_KNOWN = re.compile(r"local|local\[[^]]+\]|local-cluster\[[^]]+\]|yarn|spark://.+|k8s://.+")


def check_master(master: str) -> None:
    if not _KNOWN.fullmatch(master):
        raise PipelineProblem(
            f"there is no master {master!r} in Spark",
            hint="--master is local[*] (all cores of this machine), local[2], spark://HOST:PORT, yarn or k8s://URL.",
        )
    if master.startswith("spark://"):
        _check_answers(master)


def _check_answers(master: str) -> None:
    """One of several is enough. Spark itself tries for a minute, and then fails on something else."""
    refusals = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        if not (host and port.isdigit()):
            raise PipelineProblem(f"a master is spark://HOST:PORT, not {master}")
        try:
            socket.create_connection((host.strip("[]"), int(port)), ANSWER_WITHIN_S).close()
        except (OSError, OverflowError) as error:
            refusals.append(f"{place}: {error}")
        else:
            return
    raise PipelineProblem(
        f"no Spark master answers at {master}: {'; '.join(refusals)}",
        hint="Is it running there? Without --master a job runs on this machine.",
        kind=Kind.AWAY,
    )
