"""The penstock command. Commands load when they are called, so that `penstock up` imports no client library."""

import penstock.broker.lean_library  # noqa: F401 - before anything else
from penstock.stand_ins import instead, without

# click looks for translations of its own words, which nobody has: a quarter of a megabyte, and files looked for.
with without(
    {
        "gettext": instead(
            "gettext", gettext=lambda words: words, ngettext=lambda one, many, count: one if count == 1 else many
        )
    }
):
    import click  # noqa: F401

from penstock.cli.program import main

__all__ = ["main"]
