"""The words of a filter, each with its position."""

import re
from typing import Final

import msgspec


class FilterError(ValueError):
    def __init__(self, position: int, problem: str) -> None:
        super().__init__(f"position {position + 1}: {problem}")
        self.position = position


_WORD: Final = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?[0-9]{1,30}(?:\.[0-9]{1,30})?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_-]*)|(?P<sign>!=|<>|<=|>=|[=<>(),.]))"
)
"""No part of it can match the same characters in two ways: reading is linear."""

SIGNS: Final = ("=", "!=", "<>", "<", "<=", ">", ">=")
END: Final = "end"


class Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    position: int

    def says(self, word: str) -> bool:
        return self.kind == "name" and self.text.lower() == word

    @property
    def shown(self) -> str:
        return "the end" if self.kind == END else self.text if len(self.text) <= 40 else self.text[:40] + "..."


def tokens_of(text: str) -> list[Token]:
    tokens: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _WORD.match(text, at)
        if found is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            if text[at] == "'":
                raise FilterError(at, "a text that does not end: write '' for a quote within a text")
            raise FilterError(at, f"{text[at]!r} means nothing here")
        kind = str(found.lastgroup)
        tokens.append(Token(kind, found[kind], found.start(kind)))
        at = found.end()
    return [*tokens, Token(END, "", end)]
