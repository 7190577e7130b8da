"""`penstock local ...`: failures by hand on a cluster that `penstock up --brokers N` runs; one file a command."""

from penstock.cli.program import LazyGroup

local = LazyGroup(
    "local",
    help="Try failures by hand on the cluster that `penstock up --brokers N` runs on this machine.",
    commands_at={
        "status": ("penstock.cli.local.status:status", "Show the processes, their addresses and who is cut off."),
        "kill": ("penstock.cli.local.faults:kill", "End a broker or an etcd at once, as kill -9 does."),
        "pause": ("penstock.cli.local.faults:pause", "Let one hang, as SIGSTOP does."),
        "resume": ("penstock.cli.local.faults:resume", "Let one that hangs go on."),
        "restart": ("penstock.cli.local.restart:restart", "Stop one cleanly if it runs, and start it again."),
        "partition": ("penstock.cli.local.partition:partition", "Cut a broker off the others' network, or heal that."),
    },
)

__all__ = ["local"]
