"""From the subject of a certificate to a user's name, by `ssl.principal.mapping.rules`, as Kafka does it.

    RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/L, DEFAULT

The first rule whose pattern fits all of the name counts; DEFAULT takes the name as it is. Then every place where the
pattern is found is replaced, as by Java's String.replaceAll: a pattern that can also match less than the whole is
replaced where it does. Patterns are Python's, whose syntax is Java's but for a few rare forms; one that cannot be read
is refused at the start. Pure.
"""

import re
from typing import Final, NamedTuple

DEFAULT: Final = "DEFAULT"
_RULE: Final = re.compile(r"RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?)")
_NOT_PYTHONS: Final = re.compile(r"(?P<same>\\.|\[(?:\\.|[^\]\\])+\])|(?P<group>\(\?<(?=[A-Za-z]))|\.", re.DOTALL)
"""What is written otherwise in Python: the name of a group, and a dot, which fits no end of a line in Java."""
_REFERENCE: Final = re.compile(r"\\(?P<literal>.)|\$(?P<number>[0-9]+)|\$\{(?P<name>\w+)\}|(?P<lost>\$|\\$)", re.DOTALL)


class NoRuleMatches(Exception):
    """No rule fits a name: whoever shows it is not let in."""


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    replacement: tuple[str | int, ...]
    """Text, and groups of the pattern by number."""
    case: str

    def applied_to(self, name: str) -> str | None:
        if not self.pattern.fullmatch(name):
            return None
        replaced = self.pattern.sub(self._written, name)
        return {"L": replaced.lower, "U": replaced.upper, "": replaced.__str__}[self.case]()

    def _written(self, match: re.Match[str]) -> str:
        return "".join(part if isinstance(part, str) else match[part] or "" for part in self.replacement)


class PrincipalMapping:
    def __init__(self, text: str) -> None:
        """ValueError, in words, for rules that cannot be read."""
        self._rules = [_parsed(rule) for rule in _split(text)]

    def name(self, subject: str) -> str:
        for rule in self._rules:
            mapped = subject if rule is None else rule.applied_to(subject)
            if mapped is not None:
                return mapped
        raise NoRuleMatches(f"no rule of ssl.principal.mapping.rules fits {subject}")


def _split(text: str) -> list[str]:
    """The rules one by one. A comma may be in a pattern."""
    rules, position, text = [], 0, text.strip()
    while position < len(text):
        if text[position] in ", \t\r\n":
            position += 1
            continue
        rule = _RULE.match(text, position)
        end = rule.end() if rule else position + len(DEFAULT)
        behind = text[end:].lstrip()
        if (rule is None and text[position:end] != DEFAULT) or (behind and not behind.startswith(",")):
            raise ValueError(
                f"ssl.principal.mapping.rules: {text[position:]!r} is neither RULE:pattern/replacement/[LU] nor DEFAULT"
            )
        rules.append(text[position:end])
        position = end
    return rules


def _parsed(text: str) -> _Rule | None:
    match = _RULE.fullmatch(text)
    if match is None:
        return None  # DEFAULT
    try:
        pattern = re.compile(_NOT_PYTHONS.sub(_in_python, match[1]), re.ASCII)
    except re.error as error:
        raise ValueError(f"ssl.principal.mapping.rules: the pattern {match[1]!r} cannot be read: {error}") from error
    return _Rule(pattern, _replacement(match[2], pattern), match[3])


def _in_python(found: re.Match[str]) -> str:
    return found["same"] or ("(?P<" if found["group"] else "[^\\n\\r\\x85\\u2028\\u2029]")


def _replacement(text: str, pattern: re.Pattern[str]) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    position = 0
    for reference in _REFERENCE.finditer(text):
        parts.append(text[position : reference.start()])
        position = reference.end()
        if reference["literal"] is not None:
            parts.append(reference["literal"])
        elif reference["number"] is not None and (pattern.groups or reference["number"].startswith("0")):
            parts += _by_number(reference["number"], pattern.groups)
        elif reference["name"] in pattern.groupindex:
            parts.append(pattern.groupindex[reference["name"]])
        else:
            raise ValueError(f"ssl.principal.mapping.rules: {text!r} refers to a group that the pattern does not have")
    parts.append(text[position:])
    return tuple(part for part in parts if part != "")


def _by_number(digits: str, groups: int) -> list[str | int]:
    """As many digits as there are groups for; with none of that number it is text, as Kafka takes it."""
    taken = len(digits)
    while taken > 1 and int(digits[:taken]) > groups:
        taken -= 1
    number = int(digits[:taken])
    return ["$" + digits] if number > groups else [number, digits[taken:]]
