"""`penstock retry ...`: one file a command."""

from penstock.cli.program import LazyGroup

retry = LazyGroup(
    "retry",
    help="Look at what groups try again.",
    commands_at={
        "stats": ("penstock.cli.retry.stats:stats", "Count what waits to be tried again, by group and topic."),
    },
)

__all__ = ["retry"]
