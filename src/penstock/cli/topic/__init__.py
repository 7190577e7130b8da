"""`penstock topic ...`: one file a command."""

from penstock.cli.program import LazyGroup

topic = LazyGroup(
    "topic",
    help="Create, list, describe, alter and delete topics.",
    commands_at={
        "create": ("penstock.cli.topic.create:create", "Create topics."),
        "list": ("penstock.cli.topic.list:list_topics", "List topics."),
        "describe": ("penstock.cli.topic.describe:describe", "Show partitions, offsets and settings."),
        "alter": ("penstock.cli.topic.alter:alter", "Change settings."),
        "add-partitions": ("penstock.cli.topic.add_partitions:add_partitions", "Raise the number of partitions."),
        "delete": ("penstock.cli.topic.delete:delete", "Delete topics and their records."),
    },
)

__all__ = ["topic"]
