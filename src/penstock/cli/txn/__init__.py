"""`penstock txn ...`: one file a command."""

from penstock.cli.program import LazyGroup

txn = LazyGroup(
    "txn",
    help="List, describe and abort transactions.",
    commands_at={
        "list": ("penstock.cli.txn.list:list_transactions", "List transactional ids and the state of each."),
        "describe": ("penstock.cli.txn.describe:describe", "Show a transactional id's producer and open transaction."),
        "hanging": ("penstock.cli.txn.hanging:hanging", "Find transactions that no coordinator will ever end."),
        "abort": ("penstock.cli.txn.abort:abort", "Abort a transaction, or one that hangs on a partition."),
    },
)

__all__ = ["txn"]
