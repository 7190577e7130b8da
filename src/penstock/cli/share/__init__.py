"""`penstock share ...`: one file a command."""

from penstock.cli.program import LazyGroup

share = LazyGroup(
    "share",
    help="Look at share groups, whose members read the same partitions together, and take care of them.",
    commands_at={
        "list": ("penstock.cli.share.list:list_groups", "List share groups."),
        "describe": ("penstock.cli.share.describe:describe", "Show members, what they read, and how much is left."),
        "inflight": ("penstock.cli.share.inflight:inflight", "Show which records are with whom."),
        "release": ("penstock.cli.share.release:release", "Take back what members have, for others."),
        "reset": ("penstock.cli.share.reset:reset", "Move where a group reads on."),
        "delete": ("penstock.cli.share.delete:delete", "Delete share groups and what they know of records."),
    },
)

__all__ = ["share"]
