"""`penstock share ...`: one file a command."""

from penstock.cli.program import LazyGroup

share = LazyGroup(
    "share",
    help="List, describe, reset and delete share groups, whose members read the same partitions together.",
    commands_at={
        "list": ("penstock.cli.share.list:list_groups", "List share groups."),
        "describe": ("penstock.cli.share.describe:describe", "Show members, what they read, and how much is left."),
        "reset": ("penstock.cli.share.reset:reset", "Move where a group reads on."),
        "delete": ("penstock.cli.share.delete:delete", "Delete share groups and what they know of records."),
    },
)

__all__ = ["share"]
