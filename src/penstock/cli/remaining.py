"""What a reader still has to see before it may say that it has read all: pure."""

from collections.abc import Mapping


class Remaining:
    """Partitions with the offset up to which each is to be read."""

    def __init__(self, ends: Mapping[int, int]) -> None:
        self._ends = dict(ends)

    def __bool__(self) -> bool:
        return bool(self._ends)

    def names(self, topic: str) -> str:
        return ", ".join(f"{topic}-{index}" for index in sorted(self._ends))

    def reached(self, partition: int, position: int) -> None:
        """Everything below `position` was seen, or is no record.

        The end that a leader tells is not enough: one that has just taken over may know less of what is committed than
        the one before, and there is more to come.
        """
        if partition in self._ends and position >= self._ends[partition]:
            del self._ends[partition]
