"""Did you mean: the nearest known names to a misspelt one."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], *, count: int = 3) -> str:
    """A sentence to append to an error, empty when nothing is near."""
    near = get_close_matches(name, list(known), n=count, cutoff=0.6)
    if not near:
        return ""
    return f" Did you mean {' or '.join(near)}?"
