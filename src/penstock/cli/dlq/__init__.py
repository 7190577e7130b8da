"""`penstock dlq ...`: one file a command."""

from penstock.cli.program import LazyGroup

dlq = LazyGroup(
    "dlq",
    help="Look at dead letters of share groups, send them back where they came from, or delete them.",
    commands_at={
        "list": ("penstock.cli.dlq.list:list_topics", "List dead-letter topics, how much is in them, and whose."),
        "show": ("penstock.cli.dlq.show:show", "Show dead letters: where they are from, and why."),
        "redrive": ("penstock.cli.dlq.redrive:redrive", "Write records back to the topics that they came from."),
        "purge": ("penstock.cli.dlq.purge:purge", "Delete dead letters up to a time."),
    },
)

__all__ = ["dlq"]
