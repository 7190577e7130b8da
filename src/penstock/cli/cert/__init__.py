"""`penstock cert ...`: one file a command."""

from penstock.cli.program import LazyGroup

cert = LazyGroup(
    "cert",
    help="Show certificates, and renew those of `penstock init`.",
    commands_at={
        "show": ("penstock.cli.cert.show:show", "Show the certificates of a file, or of a broker."),
        "renew": ("penstock.cli.cert.renew:renew", "Make the certificates of `penstock init` anew."),
    },
)

__all__ = ["cert"]
