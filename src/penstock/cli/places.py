"""The key that offsets go by here."""

Place = tuple[str, int]
"""A topic and a partition's number."""
