"""`penstock log ...`: one file a command. They work on the data folders of a broker that is stopped."""

from penstock.cli.program import LazyGroup

log = LazyGroup(
    "log",
    help="Put damaged and unknown logs of a stopped broker right. What changes something shows its plan first.",
    commands_at={
        "list": ("penstock.cli.log.list:list_logs", "List logs that were set aside, and damaged ones."),
        "remove-stray": ("penstock.cli.log.remove_stray:remove_stray", "Delete logs that were set aside, for good."),
        "restore-stray": ("penstock.cli.log.restore_stray:restore_stray", "Give a log that was set aside its name."),
        "accept-loss": ("penstock.cli.log.accept_loss:accept_loss", "Go on with what is sound of a damaged log."),
    },
)

__all__ = ["log"]
