"""A line of input to a record: key, headers and value apart by separators, or one JSON object a line.

What consume prints as JSON, produce takes back without loss; bytes that are no UTF-8 travel as base64.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

Header = tuple[str, bytes | None]


class Unparsable(ValueError):
    """A line that cannot be a record; the message says why."""


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    value: bytes | None
    key: bytes | None = None
    headers: tuple[Header, ...] = ()
    timestamp_ms: int | None = None
    partition: int | None = None


@dataclass(frozen=True, slots=True)
class LineFormat:
    """headers SEP key SEP value; a part without its separator is absent. Headers are name=value, comma-separated."""

    key_separator: bytes | None = None
    header_separator: bytes | None = None
    null_marker: bytes | None = None


def unescape(text: str) -> bytes:
    r"""A separator as typed in a shell: \t, \n, \0, \x1f and \\ mean what they mean in C."""
    try:
        typed = text.encode("utf-8", "surrogateescape")  # bytes of the command line that are no UTF-8 stay
        return typed.decode("unicode_escape").encode("latin-1") if b"\\" in typed else typed
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise ValueError(f"{text!r} has an escape that makes no sense: {error}") from None


def parse_line(line: bytes, form: LineFormat) -> ParsedRecord:
    headers: tuple[Header, ...] = ()
    if form.header_separator is not None:
        text, found, line = line.partition(form.header_separator)
        if not found:
            raise Unparsable(f"no header separator {_shown(form.header_separator)} in the line")
        headers = _line_headers(text, form)
    key: bytes | None = None
    if form.key_separator is not None:
        key, found, line = line.partition(form.key_separator)
        if not found:
            raise Unparsable(f"no key separator {_shown(form.key_separator)} in the line")
    return ParsedRecord(value=_null(line, form), key=None if key is None else _null(key, form), headers=headers)


def _line_headers(text: bytes, form: LineFormat) -> tuple[Header, ...]:
    headers = []
    for pair in filter(None, text.split(b",")):
        name, found, value = pair.partition(b"=")
        if not found:
            raise Unparsable(f"header {_shown(pair)} is not name=value")
        headers.append((_text(name, what="a header's name"), _null(value, form)))
    return tuple(headers)


def _shown(part: bytes) -> str:
    return repr(part.decode("utf-8", "backslashreplace"))


def _null(part: bytes, form: LineFormat) -> bytes | None:
    return None if part == form.null_marker else part


def _text(part: bytes, *, what: str) -> str:
    try:
        return part.decode("utf-8")
    except UnicodeDecodeError:
        raise Unparsable(f"{what} must be UTF-8") from None


def parse_json(line: bytes) -> ParsedRecord:
    """{"key", "value", "headers", "timestamp", "partition"}, any of them absent; *_base64 for bytes that are no text.

    A value that is not a string is kept as its JSON text. Topic and offset, which consume prints, say nothing here.
    """
    try:
        document = json.loads(line)
    except ValueError as error:
        raise Unparsable(f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise Unparsable("a record is a JSON object with key, value, headers, timestamp; all may be absent")
    if unknown := document.keys() - _KNOWN_FIELDS:
        raise Unparsable(f"unknown field {', '.join(sorted(unknown))}; known are {', '.join(sorted(_KNOWN_FIELDS))}")
    return ParsedRecord(
        value=_json_bytes(document, "value"),
        key=_json_bytes(document, "key"),
        headers=_json_headers(document.get("headers") or []),
        timestamp_ms=_json_int(document, "timestamp"),
        partition=_json_int(document, "partition"),
    )


_KNOWN_FIELDS = frozenset(
    {"topic", "partition", "offset", "timestamp", "timestamp_type", "key", "key_base64", "value", "value_base64"}
    | {"headers"}
)


def _json_bytes(document: dict[str, Any], name: str) -> bytes | None:
    encoded = document.get(f"{name}_base64")
    if encoded is not None:
        try:
            return base64.b64decode(encoded, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise Unparsable(f"{name}_base64 is not base64") from None
    plain = document.get(name)
    if plain is None:
        return None
    if not isinstance(plain, str):
        plain = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    try:
        return plain.encode("utf-8")
    except UnicodeEncodeError:
        raise Unparsable(f"{name} holds half a surrogate pair, which no UTF-8 can carry") from None


def _json_headers(document: Any) -> tuple[Header, ...]:
    if isinstance(document, dict):
        document = [{"name": name, "value": value} for name, value in document.items()]
    if not isinstance(document, list):
        raise Unparsable('headers are an object or a list of {"name": ..., "value": ...}')
    headers = []
    for header in document:
        if not isinstance(header, dict) or not isinstance(header.get("name"), str):
            raise Unparsable('a header is {"name": ..., "value": ...}')
        headers.append((header["name"], _json_bytes(header, "value")))
    return tuple(headers)


def _json_int(document: dict[str, Any], name: str) -> int | None:
    number = document.get(name)
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise Unparsable(f"{name} must be a whole number, not {number!r}")
    return number
