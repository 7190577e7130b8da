"""`penstock group ...`: one file a command."""

from penstock.cli.program import LazyGroup

group = LazyGroup(
    "group",
    help="List, describe, measure, reset and delete consumer groups.",
    commands_at={
        "list": ("penstock.cli.group.list:list_groups", "List groups."),
        "describe": ("penstock.cli.group.describe:describe", "Show members, what they read, and committed offsets."),
        "lag": ("penstock.cli.group.lag:lag", "Show how far groups are behind, in records and in seconds."),
        "reset": ("penstock.cli.group.reset:reset", "Move committed offsets."),
        "delete": ("penstock.cli.group.delete:delete", "Delete groups and their committed offsets."),
    },
)

__all__ = ["group"]
