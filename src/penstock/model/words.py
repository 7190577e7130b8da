"""Numbers of things as people say them."""


def counted(number: int, what: str, plural: str = "s") -> str:
    """1 row, 2 rows, 1,000 batches."""
    return f"{number:,} {what}{'' if number == 1 else plural}"
