"""Topics by pattern. A name matches as a whole."""

import re

from penstock.errors import InvalidRegularExpression


class Pattern:
    def __init__(self, text: str) -> None:
        try:
            self._compiled = re.compile(text)
        except re.error as error:
            raise InvalidRegularExpression(f"SubscribedTopicRegex `{text}` is not valid: {error}") from None

    def matches(self, name: str) -> bool:
        return self._compiled.fullmatch(name) is not None


def compile_pattern(text: str) -> Pattern:
    return Pattern(text)
