"""`penstock local kill|pause|resume`: one signal to one process, and a look whether it took."""

import signal
from pathlib import Path

import click

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.options import cluster_option
from penstock.cli.local.state import BrokerState, ClusterState, EtcdState, data_option_for
from penstock.cli.output import json_option, print_json
from penstock.processes.record import ProcessRecord

TAKES_EFFECT_WITHIN_S = 5.0


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
@json_option
def kill(member: str, folder: Path, state: ClusterState, as_json: bool) -> ExitCode:
    """End broker ID (or etcd1, etcd2, ...) at once, as kill -9 does: nobody is told, nothing is flushed.

    \b
    penstock local kill 2
    penstock local restart 2
    """
    _send(folder, state, member, signal.SIGKILL, becomes=None, outcome="killed", as_json=as_json)
    return ExitCode.OK


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
@json_option
def pause(member: str, folder: Path, state: ClusterState, as_json: bool) -> ExitCode:
    """Let broker ID (or etcd1, etcd2, ...) hang, as SIGSTOP does: its connections stay, and nothing is answered.

    \b
    penstock local pause 2
    penstock local resume 2
    """
    _send(folder, state, member, signal.SIGSTOP, becomes="paused", outcome="paused", as_json=as_json)
    return ExitCode.OK


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
@json_option
def resume(member: str, folder: Path, state: ClusterState, as_json: bool) -> ExitCode:
    """Let broker ID (or etcd1, etcd2, ...) go on after `penstock local pause`."""
    _send(folder, state, member, signal.SIGCONT, becomes="running", outcome="resumed", as_json=as_json)
    return ExitCode.OK


def _send(
    folder: Path,
    state: ClusterState,
    wanted: str,
    number: signal.Signals,
    *,
    becomes: str | None,
    outcome: str,
    as_json: bool,
) -> None:
    member = state.member(wanted)
    process = member.process
    if process is None or not process.send(number):
        again = f"penstock local restart {wanted}{data_option_for(folder)}"
        raise Failure(f"{member.name} does not run", hint=f"`{again}` starts it.")
    if not process.wait_for(becomes, within_s=TAKES_EFFECT_WITHIN_S):
        raise Failure(f"{number.name} was sent to {member.name} (pid {process.pid}), and it is {process.state} still")
    tell(member, process, outcome, as_json=as_json)


def tell(member: BrokerState | EtcdState, process: ProcessRecord, outcome: str, *, as_json: bool) -> None:
    """What was done to whom; `pid` is the process that was meant."""
    if as_json:
        print_json({"member": member.name, "outcome": outcome, "pid": process.pid})
    else:
        click.echo(f"{member.name} (pid {process.pid}) {outcome}")
