"""`penstock view ...`: one file a command."""

from penstock.cli.program import LazyGroup

view = LazyGroup(
    "view",
    help="Create, list and explain views: read-only topics that show some records of another.",
    commands_at={
        "create": ("penstock.cli.view.create:create", "Create a view of a topic."),
        "list": ("penstock.cli.view.list:list_views", "List views with their sources and filters."),
        "explain": ("penstock.cli.view.explain:explain", "Say how a filter is read, and what it costs."),
    },
)

__all__ = ["view"]
