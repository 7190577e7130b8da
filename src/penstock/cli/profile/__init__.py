"""`penstock profile ...`: one file a command."""

from penstock.cli.program import LazyGroup

profile = LazyGroup(
    "profile",
    help="Keep where clusters are and how to log in to them, for --profile NAME.",
    commands_at={
        "add": ("penstock.cli.profile.add:add", "Make a profile."),
        "use": ("penstock.cli.profile.use:use", "Choose the one that counts where none is named."),
        "list": ("penstock.cli.profile.list:list_profiles", "List profiles."),
        "show": ("penstock.cli.profile.show:show", "Show what a profile says, without its secrets."),
        "remove": ("penstock.cli.profile.remove:remove", "Remove profiles."),
    },
)

__all__ = ["profile"]
