"""Numbers and names of things as people say them."""

from collections.abc import Iterable


def counted(number: int, what: str, plural: str = "s") -> str:
    """1 row, 2 rows, 1,000 batches."""
    return f"{number:,} {what}{'' if number == 1 else plural}"


def nearest_names(name: str, among: Iterable[str], *, at_most: int = 3) -> list[str]:
    """Names that someone who wrote `name` may have meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only, and takes 0.3 MB of every broker

    return get_close_matches(name, list(among), n=at_most, cutoff=0.65)


def did_you_mean(name: str, among: Iterable[str], *, sentence: bool = False) -> str:
    """To append to an error, as a part of its sentence or as one of its own. Empty where nothing is near."""
    near = nearest_names(name, among)
    return f"{' Did' if sentence else '; did'} you mean {' or '.join(near)}?" if near else ""
