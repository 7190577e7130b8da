"""The penstock command. Commands load when they are called, so that `penstock up` imports no client library."""

from penstock.cli.program import main

__all__ = ["main"]
