"""`penstock schedule ...`: one file a command."""

from penstock.cli.program import LazyGroup

schedule = LazyGroup(
    "schedule",
    help="Look at what waits in schedule topics, cancel it, or have it fired now.",
    commands_at={
        "list": ("penstock.cli.schedule.list:list_waiting", "List the records that wait, earliest first."),
        "show": ("penstock.cli.schedule.show:show", "Show one record that waits."),
        "cancel": ("penstock.cli.schedule.cancel:cancel", "Cancel what waits under a key and an id."),
        "fire-now": ("penstock.cli.schedule.fire_now:fire_now", "Have what waits under a key and an id fired at once."),
        "stats": ("penstock.cli.schedule.stats:stats", "Count what waits, by partition."),
    },
)

__all__ = ["schedule"]
