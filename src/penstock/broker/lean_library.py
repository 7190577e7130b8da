"""What Python's own library imports along with itself, and neither a broker nor a command needs (see `stand_ins`).

Import this module before any of those below; it has no other use. Most of a megabyte.
"""

import os

from penstock.stand_ins import later, without


class _NodeVisitor:
    """Has what the real one has, from when something of it is used."""

    def __getattr__(self, name: str) -> object:
        from ast import NodeVisitor  # noqa: PLC0415 - which is what is spared

        return getattr(NodeVisitor, name).__get__(self)


# To find the source of a class, and its lines.
with without({"ast": later("ast", NodeVisitor=_NodeVisitor), "tokenize": later("tokenize")}):
    import inspect  # noqa: F401

# To check the host of a URL that is in brackets.
with without({"ipaddress": later("ipaddress")}):
    import urllib.parse  # noqa: F401

# To know which system this is.
with without({"platform": later("platform", system=lambda: os.uname().sysname)}):
    import uuid  # noqa: F401
