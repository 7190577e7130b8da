"""Scenarios: conversations with the pure machines, kept as text that a newcomer can read (tests/scenarios).

A line that begins with "> " is said to a stage, and the indented lines below it are what the stage said to that.
Everything else is prose. `make scenarios` writes the answers anew; what changed is then seen in the diff.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

SAID = "> "
ANSWER = "    "


class Misunderstood(Exception):
    """A line that no stage knows."""


Acts = Callable[..., None]


def act(words: str) -> Callable[[Acts], Acts]:
    """A method that is what a stage does on hearing these words; their groups are its arguments."""

    def marked(method: Acts) -> Acts:
        method.__dict__["heard"] = re.compile(words)
        return method

    return marked


class Play(ABC):
    """A stage whose `act`s tell events; what they changed is told after them, from `view`."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._seen: dict[str, str] = {}

    def tell(self, text: str) -> None:
        self._told.append(text)

    @abstractmethod
    def view(self) -> Mapping[str, str]:
        """What can be seen from outside, by name; told whenever it differs from before."""

    def take(self, line: str) -> list[str]:
        """What there is to say to this line."""
        for method in vars(type(self)).values():
            heard: re.Pattern[str] | None = getattr(method, "heard", None)
            if heard is not None and (found := heard.fullmatch(line)):
                method(self, *found.groups())
                return self._answer()
        raise Misunderstood(f"nobody here knows what {line!r} means")

    def _answer(self) -> list[str]:
        told, self._told = self._told, []
        now = dict(self.view())
        told += [f"{name}: {value}" for name, value in now.items() if self._seen.get(name) != value]
        told += [f"{name}: nothing any more" for name in self._seen if name not in now]
        self._seen = now
        return told


def play(text: str, stages: Mapping[str, Callable[[], Play]]) -> str:
    """The text with every answer as it is now. Its first line to a stage begins with the stage's name."""
    return "\n".join(_played(text.splitlines(), stages)) + "\n"


def _played(lines: list[str], stages: Mapping[str, Callable[[], Play]]) -> Iterator[str]:
    stage: Play | None = None
    for line in lines:
        if line.startswith(ANSWER):
            continue
        yield line
        if line.startswith(SAID):
            said = line.removeprefix(SAID)
            if stage is None:
                stage = stages[said.split()[0]]()
            yield from (ANSWER + answer for answer in stage.take(said))


def scenarios(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.txt"))
