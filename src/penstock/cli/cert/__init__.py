"""`penstock cert ...`: one file a command."""

from penstock.cli.program import LazyGroup

cert = LazyGroup(
    "cert",
    help="Show certificates.",
    commands_at={
        "show": ("penstock.cli.cert.show:show", "Show the certificates of a file, or of a broker."),
    },
)

__all__ = ["cert"]
