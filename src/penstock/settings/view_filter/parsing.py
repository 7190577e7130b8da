"""The language of `penstock.view.filter`: from text to a tree. What a tree means for a record is in `delivery.views`.

    filter   = all { "or" all }
    all      = one { "and" one }
    one      = "not" one | "(" filter ")" | "exists" header | test
    test     = operand ( "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" ) literal
             | operand [ "not" ] "in" "(" literal { "," literal } ")"
             | operand [ "not" ] "like" text
             | ( "key" | "value" ) "is" [ "not" ] "null"
    operand  = header | "key" | "size" | "timestamp"
    header   = "header" "." ( name | text )
    literal  = text in single quotes, '' is one quote | number

Words may be written in capitals. A filter is bounded in its length, its depth and its number of tests, so that what it
costs a record is bounded too. What is wrong is told with its position, counted from 1.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from penstock.settings.checks import Check
from penstock.settings.view_filter.tree import (
    EVERYTHING,
    All,
    Any,
    Compare,
    Exists,
    Header,
    In,
    IsNull,
    Key,
    Like,
    Literal,
    Node,
    Not,
    Operand,
    Size,
    Timestamp,
    Value,
)
from penstock.settings.view_filter.words import END, SIGNS, FilterError, Token, tokens_of

CHARACTERS_MAX: Final = 2_000
DEPTH_MAX: Final = 16
TESTS_MAX: Final = 64
WILDCARDS_MAX: Final = 16
"""In one pattern of `like`."""


def parse(text: str) -> Node:
    """FilterError where it is no filter."""
    if len(text) > CHARACTERS_MAX:
        raise FilterError(CHARACTERS_MAX, f"a filter may have {CHARACTERS_MAX} characters, this one has {len(text)}")
    if not text.strip():
        return EVERYTHING
    return _Parser(tokens_of(text)).whole()


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._tests = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _took(self, word: str) -> bool:
        if self._next.says(word) or (self._next.kind == "sign" and self._next.text == word):
            self._take()
            return True
        return False

    def _expect(self, word: str, what: str) -> None:
        if not self._took(word):
            raise FilterError(self._next.position, f"{what} is expected instead of {self._next.shown}")

    def whole(self) -> Node:
        node = self._any()
        if self._next.kind != END:
            raise FilterError(
                self._next.position, f"{self._next.shown} does not follow from what stands before it: use and, or"
            )
        return node

    def _any(self) -> Node:
        nodes = self._list_of(self._all, "or")
        return nodes[0] if len(nodes) == 1 else Any(nodes)

    def _all(self) -> Node:
        nodes = self._list_of(self._one, "and")
        return nodes[0] if len(nodes) == 1 else All(nodes)

    def _list_of(self, read: Callable[[], Node], word: str) -> tuple[Node, ...]:
        nodes = [read()]
        while self._took(word):
            nodes.append(read())
        return tuple(nodes)

    def _one(self) -> Node:
        first = self._next
        if first.says("not") or (first.kind == "sign" and first.text == "("):
            return self._deeper(self._take())
        self._tests += 1
        if self._tests > TESTS_MAX:
            raise FilterError(first.position, f"a filter may have {TESTS_MAX} tests")
        if self._took("exists"):
            return Exists(self._header(self._next))
        return self._test(first)

    def _deeper(self, first: Token) -> Node:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise FilterError(first.position, f"brackets and not may be {DEPTH_MAX} deep")
        if first.says("not"):
            node: Node = Not(self._one())
        else:
            node = self._any()
            self._expect(")", "a closing bracket")
        self._depth -= 1
        return node

    def _header(self, first: Token) -> Header:
        if not self._took("header"):
            raise FilterError(first.position, f"header.<name> is expected instead of {first.shown}")
        self._expect(".", "a dot and the header's name")
        name = self._take()
        if name.kind not in ("name", "text"):
            raise FilterError(name.position, f"a header's name is expected instead of {name.shown}")
        return Header(_unquoted(name))

    def _test(self, first: Token) -> Node:
        operand = self._operand(first)
        if self._took("is"):
            return self._is_null(first, operand)
        if isinstance(operand, Value):
            raise FilterError(self._next.position, "of a value only is null and is not null can be asked")
        sign = self._next
        if sign.kind == "sign" and sign.text in SIGNS:
            self._take()
            return Compare(operand, "!=" if sign.text == "<>" else sign.text, self._literal(operand))
        is_not = self._took("not")
        if self._took("in"):
            node: Node = In(operand, self._literals(operand))
        elif self._took("like"):
            node = Like(self._text_of(operand, first), self._pattern())
        else:
            expected = "in or like" if is_not else "a comparison, in, like or is"
            raise FilterError(self._next.position, f"{expected} is expected instead of {self._next.shown}")
        return Not(node) if is_not else node

    def _operand(self, first: Token) -> Operand | Value:
        if first.says("header"):
            return self._header(first)
        for word, operand in (("key", Key()), ("size", Size()), ("timestamp", Timestamp()), ("value", Value())):
            if self._took(word):
                return operand
        raise FilterError(
            first.position, f"header.<name>, key, value, size or timestamp is expected instead of {first.shown}"
        )

    def _is_null(self, first: Token, operand: Operand | Value) -> Node:
        is_not = self._took("not")
        self._expect("null", "null")
        if not isinstance(operand, Key | Value):
            raise FilterError(
                first.position, "only a key and a value can be null: of a header ask exists header.<name>"
            )
        return Not(IsNull(operand)) if is_not else IsNull(operand)

    def _text_of(self, operand: Operand, first: Token) -> Header | Key:
        if not isinstance(operand, Header | Key):
            raise FilterError(first.position, "like is for headers and keys")
        return operand

    def _literals(self, operand: Operand) -> tuple[Literal, ...]:
        self._expect("(", "an opening bracket")
        literals = [self._literal(operand)]
        while self._took(","):
            literals.append(self._literal(operand))
        self._expect(")", "a comma or a closing bracket")
        return tuple(literals)

    def _literal(self, operand: Operand) -> Literal:
        token = self._take()
        if token.kind == "number":
            return float(token.text) if "." in token.text else int(token.text)
        if token.kind != "text":
            raise FilterError(
                token.position, f"a number or a text in single quotes is expected instead of {token.shown}"
            )
        if isinstance(operand, Size):
            raise FilterError(token.position, f"a size is a number, not {token.shown}")
        if isinstance(operand, Timestamp):
            return _milliseconds(token)
        return _unquoted(token)

    def _pattern(self) -> str:
        token = self._take()
        if token.kind != "text":
            raise FilterError(token.position, f"a pattern in single quotes is expected instead of {token.shown}")
        pattern = _unquoted(token)
        if pattern.count("%") + pattern.count("_") > WILDCARDS_MAX:
            raise FilterError(token.position, f"a pattern may have {WILDCARDS_MAX} of % and _")
        return pattern


def _unquoted(token: Token) -> str:
    return token.text[1:-1].replace("''", "'") if token.kind == "text" else token.text


def _milliseconds(token: Token) -> int:
    try:
        moment = datetime.fromisoformat(_unquoted(token))
    except ValueError:
        raise FilterError(
            token.position, f"{token.shown} is no time: write milliseconds, or 2026-01-31T12:00:00Z"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


class _IsFilter(Check[str]):
    """Says what is wrong, and where."""

    def __init__(self) -> None:
        super().__init__("a filter: see docs/tutorial/views.md", lambda _: True)

    def __call__(self, value: str) -> None:
        parse(value)


IS_FILTER: Final = _IsFilter()
