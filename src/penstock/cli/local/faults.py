"""`penstock local kill|pause|resume`: one signal to one process, and a look whether it took."""

import signal
from pathlib import Path

import click

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.options import cluster_option
from penstock.cli.local.state import ClusterState

TAKES_EFFECT_WITHIN_S = 5.0


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
def kill(member: str, folder: Path, state: ClusterState) -> ExitCode:
    """End broker ID (or etcd1, etcd2, ...) at once, as kill -9 does: nobody is told, nothing is flushed.

    \b
    penstock local kill 2
    penstock local restart 2
    """
    _send(state, member, signal.SIGKILL, becomes=None, done="killed")
    return ExitCode.OK


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
def pause(member: str, folder: Path, state: ClusterState) -> ExitCode:
    """Let broker ID (or etcd1, etcd2, ...) hang, as SIGSTOP does: its connections stay, and nothing is answered.

    \b
    penstock local pause 2
    penstock local resume 2
    """
    _send(state, member, signal.SIGSTOP, becomes="paused", done="paused")
    return ExitCode.OK


@click.command(no_args_is_help=True)
@click.argument("member", metavar="ID")
@cluster_option
def resume(member: str, folder: Path, state: ClusterState) -> ExitCode:
    """Let broker ID (or etcd1, etcd2, ...) go on after `penstock local pause`."""
    _send(state, member, signal.SIGCONT, becomes="running", done="goes on")
    return ExitCode.OK


def _send(state: ClusterState, wanted: str, number: signal.Signals, *, becomes: str | None, done: str) -> None:
    member = state.member(wanted)
    process = member.process
    if process is None or not process.send(number):
        raise Failure(f"{member.name} does not run", hint=f"`penstock local restart {wanted}` starts it.")
    if not process.wait_for(becomes, within_s=TAKES_EFFECT_WITHIN_S):
        raise Failure(f"{number.name} was sent to {member.name} (pid {process.pid}), and it is {process.state} still")
    click.echo(f"{member.name} (pid {process.pid}) {done}")
