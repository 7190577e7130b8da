"""Which versions of etcd the adapter works with, and which of those nobody should run."""

import re

OLDEST = (3, 4)

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def complaint(version: str) -> str | None:
    """What is wrong with this version, in words, or None."""
    found = _VERSION.match(version)
    if found is None:
        return None
    major, minor, patch = (int(part) for part in found.groups())
    if (major, minor) < OLDEST:
        return "older than 3.4, which is the oldest that Penstock is tested with"
    if (major, minor) == (3, 5) and patch <= 2:
        return "etcd 3.5.0 to 3.5.2 can corrupt their data when killed under load: use 3.5.3 or newer, or 3.4"
    return None
