"""`penstock audit ...`: one file a command. They read the files of an audit log; no broker need run."""

from penstock.cli.program import LazyGroup

audit = LazyGroup(
    "audit",
    help="Read brokers' audit logs, and find out whether they are as they were written.",
    commands_at={
        "tail": ("penstock.cli.audit.tail:tail", "Show the newest events, and wait for more."),
        "search": ("penstock.cli.audit.search:search", "Find events by who, what, when and from where."),
        "verify": ("penstock.cli.audit.verify:verify", "Find changed, cut and missing lines and files."),
    },
)

__all__ = ["audit"]
