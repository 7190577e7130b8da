"""`penstock local restart`: the clean stop is done here; the start by the cluster's own process, whose child it is."""

import signal
import time
from pathlib import Path

import click

from penstock.admin.addresses import read_addresses
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.cluster import start_file
from penstock.cli.local.faults import tell
from penstock.cli.local.options import cluster_option
from penstock.cli.local.state import BrokerState, ClusterState, EtcdState, data_option_for, running_state
from penstock.cli.output import json_option
from penstock.processes.broker import START_TIMEOUT_S, STOP_TIMEOUT_S
from penstock.processes.record import ProcessRecord

POLL_S = 0.05


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
@json_option
def restart(member: str, folder: Path, state: ClusterState, as_json: bool) -> ExitCode:
    """Stop broker ID (or etcd1, etcd2, ...) cleanly if it runs, and start it again: same data, same address.

    A broker hands over what it leads before it stops. One that was killed or paused is started or goes on first.
    """
    found = state.member(member)
    wish = start_file(folder, found.name)
    wish.touch()  # first: whoever watches shall know that the end is wanted
    before = found.process
    if before is not None and before.state is not None:
        try:
            _stop(folder, found, before)
        except BaseException:
            wish.unlink(missing_ok=True)
            raise
    process = _wait_until_ready(folder, member, before)
    tell(found, process, "restarted", as_json=as_json)
    return ExitCode.OK


def _stop(folder: Path, member: BrokerState | EtcdState, process: ProcessRecord) -> None:
    process.send(signal.SIGCONT)
    process.send(signal.SIGTERM)
    if not process.wait_for(None, within_s=STOP_TIMEOUT_S):
        raise Failure(
            f"{member.name} (pid {process.pid}) did not stop within {STOP_TIMEOUT_S:g} s",
            hint=f"`penstock local kill {member.name}{data_option_for(folder)}` does not ask.",
        )


def _wait_until_ready(folder: Path, wanted: str, before: ProcessRecord | None) -> ProcessRecord:
    """A broker when it takes connections, an etcd when it runs."""
    deadline = time.monotonic() + START_TIMEOUT_S
    seen: ProcessRecord | None = None
    while time.monotonic() < deadline:
        member = running_state(folder).member(wanted)
        process = member.process
        if process is not None and process != before and process.state is not None:
            seen = process
            if not isinstance(member, BrokerState) or read_addresses(folder / member.name / "data", process.pid):
                return process
        elif seen is not None and process is None:
            raise Failure(f"{member.name} ended again", hint=f"See {folder / member.name / 'broker.log'}.")
        time.sleep(POLL_S)
    raise Failure(
        f"{wanted} is not ready after {START_TIMEOUT_S:g} s",
        hint=f"`penstock local status{data_option_for(folder)}` tells more.",
    )
