"""How many members have something: a topic, a pattern, an assignor. What nobody has is not listed."""


def add(counts: dict[str, int], key: str, by: int) -> None:
    count = counts.get(key, 0) + by
    if count > 0:
        counts[key] = count
    else:
        counts.pop(key, None)


def changed(counts: dict[str, int], *, less: str | None, more: str | None) -> dict[str, int]:
    """The counts as they would be, for one that goes and one that comes."""
    counts = dict(counts)
    if less:
        add(counts, less, -1)
    if more:
        add(counts, more, 1)
    return counts
