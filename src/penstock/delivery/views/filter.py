"""What a filter means for a record: a function made of functions, one for each part of its tree.

A header that is absent, or null, matches no comparison, not even `!=`. `not` turns round what stands behind it: so
`not header.a = 'x'` matches a record without that header. Of several headers of one name the last counts, as in Kafka's
own clients.

`needles`: bytes of which every record that matches holds some. A scan looks for them first, which is a search in memory
and costs a hundredth of opening records; what they are found in may still be no match.
"""

import operator
import re
from collections.abc import Callable, Iterable
from typing import Final, assert_never

import msgspec

from penstock.delivery.views.scanned_record import ScannedRecord
from penstock.settings.view_filter import tree
from penstock.settings.view_filter.parsing import parse
from penstock.wire.zigzag import put_varint

Test = Callable[[ScannedRecord], bool]

LIKE_BYTES_MAX: Final = 32 * 1024
"""A longer key or header matches no pattern: trying one may take time in proportion to both lengths."""

NEEDLES_MAX: Final = 8
_NUMBER: Final = re.compile(rb"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")

_SIGNS: Final[dict[str, Callable[..., bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Filter(msgspec.Struct, frozen=True):
    text: str
    matches: Test
    needles: tuple[bytes, ...]
    """None at all where a match may hold anything."""
    is_everything: bool = False

    @classmethod
    def of(cls, text: str) -> "Filter":
        node = parse(text)
        needles = needles_of(node) or frozenset()
        if len(needles) > NEEDLES_MAX:
            needles = frozenset()
        return cls(text, test_of(node), tuple(sorted(needles)), is_everything=node == tree.EVERYTHING)


# Tests ------------------------------------------------------------------------------------------------------------


def test_of(node: tree.Node) -> Test:
    match node:
        case tree.Compare(operand, sign, literal):
            return _compare(operand, _SIGNS[sign], literal)
        case tree.In(operand, literals):
            return _is_in(operand, literals)
        case tree.Like(operand, pattern):
            return _is_like(operand, pattern)
        case tree.Exists(tree.Header(name)):
            wanted = name.encode()
            return lambda record: record.has_header(wanted)
        case tree.IsNull(tree.Key()):
            return lambda record: record.key is None
        case tree.IsNull(tree.Value()):
            return lambda record: not record.has_value
        case tree.Not(inner):
            test = test_of(inner)
            return lambda record: not test(record)
        case tree.All(nodes):
            return _all_of([test_of(each) for each in nodes])
        case tree.Any(nodes):
            return _any_of([test_of(each) for each in nodes])
        case _:
            raise AssertionError(node)


def _all_of(tests: list[Test]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda record: first(record) and second(record)
    return lambda record: all(test(record) for test in tests)


def _any_of(tests: list[Test]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda record: first(record) or second(record)
    return lambda record: any(test(record) for test in tests)


def _compare(operand: tree.Operand, sign: Callable[..., bool], literal: tree.Literal) -> Test:
    match operand:
        case tree.Size():
            return lambda record: sign(record.size, literal)
        case tree.Timestamp():
            return lambda record: sign(record.timestamp, literal)
    read = _text(operand)
    if isinstance(literal, str):
        wanted = literal.encode()
        return lambda record: (value := read(record)) is not None and sign(value, wanted)
    return lambda record: (number := _number(read(record))) is not None and sign(number, literal)


def _is_in(operand: tree.Operand, literals: tuple[tree.Literal, ...]) -> Test:
    match operand:
        case tree.Size():
            return lambda record: record.size in numbers
        case tree.Timestamp():
            return lambda record: record.timestamp in numbers
    numbers = frozenset(each for each in literals if not isinstance(each, str))
    texts = frozenset(each.encode() for each in literals if isinstance(each, str))
    read = _text(operand)
    if not numbers:
        return lambda record: read(record) in texts  # None is in none
    return lambda record: (value := read(record)) is not None and (value in texts or _number(value) in numbers)


def _is_like(operand: tree.Header | tree.Key, pattern: str) -> Test:
    read, fits = _text(operand), like(pattern)
    return lambda record: (value := read(record)) is not None and len(value) <= LIKE_BYTES_MAX and fits(value)


def _text(operand: tree.Operand) -> Callable[[ScannedRecord], bytes | None]:
    if isinstance(operand, tree.Header):
        wanted = operand.name.encode()
        return lambda record: record.header(wanted)
    return lambda record: record.key


def _number(value: bytes | None) -> int | float | None:
    if value is None or _NUMBER.fullmatch(value) is None:
        return None
    return float(value) if b"." in value else int(value)


def like(pattern: str) -> Callable[[bytes], bool]:
    """SQL's: % is any text, _ one character. The pieces between two % are looked for one after the other, each as far
    left as can be, which is right and never goes back. A piece is a regular expression without repetition.
    """
    pieces = [_piece(piece) for piece in pattern.split("%")]
    first, *middle = pieces
    if not middle:
        return lambda value: first.fullmatch(_characters(value)) is not None
    last = middle.pop()
    last_length = len(pattern.rpartition("%")[2])

    def fits(value: bytes) -> bool:
        text = _characters(value)
        begin = first.match(text)
        if begin is None:
            return False
        at = begin.end()
        for piece in middle:
            found = piece.search(text, at)
            if found is None:
                return False
            at = found.end()
        return len(text) - last_length >= at and last.fullmatch(text, len(text) - last_length) is not None

    return fits


def _piece(piece: str) -> re.Pattern[str]:
    return re.compile("".join("." if each == "_" else re.escape(each) for each in piece), re.DOTALL)


def _characters(value: bytes) -> str:
    return value.decode(errors="surrogateescape")


# Needles ----------------------------------------------------------------------------------------------------------


def needles_of(node: tree.Node) -> frozenset[bytes] | None:
    """None where nothing is known that every match holds."""
    match node:
        case tree.Compare(tree.Header(name), sign, literal):
            return frozenset([_encoded(name, literal if sign == "=" else None)])
        case tree.In(tree.Header(name), literals):
            return frozenset(_encoded(name, each) for each in literals)
        case tree.Like(tree.Header(name)) | tree.Exists(tree.Header(name)):
            return frozenset([_encoded(name)])
        case tree.Compare(tree.Key(), "=", str(literal)):
            return frozenset([_sized(literal)])
        case tree.In(tree.Key(), literals):
            texts = [each for each in literals if isinstance(each, str)]
            return frozenset(map(_sized, texts)) if len(texts) == len(literals) else None
        case tree.All(nodes):
            return max(_known(nodes), key=lambda needles: min(map(len, needles)), default=None)
        case tree.Any(nodes):
            known = list(_known(nodes))
            return frozenset().union(*known) if len(known) == len(nodes) else None
        case tree.Compare() | tree.In() | tree.Like() | tree.IsNull() | tree.Not() | tree.Exists():
            return None
        case _:
            assert_never(node)


def _known(nodes: Iterable[tree.Node]) -> list[frozenset[bytes]]:
    return [needles for node in nodes if (needles := needles_of(node))]


def _encoded(name: str, value: tree.Literal | None = None) -> bytes:
    """A header as it lies in a record, or as it begins."""
    return _sized(name) + (_sized(value) if isinstance(value, str) else b"")


def _sized(text: str) -> bytes:
    data = text.encode()
    out = bytearray()
    put_varint(out, len(data))
    return bytes(out + data)
