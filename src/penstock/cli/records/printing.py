"""A record to bytes on standard output: columns of text, a template, one JSON object a line, or the raw value."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from penstock.cli.records.parsing import Header

Printer = Callable[["PrintedRecord"], bytes]


@dataclass(frozen=True, slots=True)
class PrintedRecord:
    topic: str
    partition: int
    offset: int
    timestamp_ms: int | None
    timestamp_type: str | None
    """create (the producer's clock) or append (the broker's)."""
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...] = ()


_encoder = msgspec.json.Encoder()


def json_line(record: PrintedRecord) -> bytes:
    """One object; key and value as text where they are UTF-8, else as base64 under another name."""
    document: dict[str, Any] = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp_ms,
        "timestamp_type": record.timestamp_type,
        **json_bytes("key", record.key),
        **json_bytes("value", record.value),
        "headers": [{"name": name, **json_bytes("value", value)} for name, value in record.headers],
    }
    return _encoder.encode(document) + b"\n"


def json_bytes(name: str, data: bytes | None) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    try:
        return {name: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}


def make_printer(template: bytes, *, null_marker: str = "null", for_terminal: bool = False) -> Printer:
    """A printer for a template such as b"{offset} {key}={value}"; {{ and }} stand for braces. ValueError says what is
    wrong with one.

    Keys and values are bytes, and go out as they came: whoever reads a pipe or a file gets what was written. A terminal
    acts on control characters, and records may come from strangers: there, and only there, they are escaped.
    """
    parts = _parts(template)
    shown = _for_terminal if for_terminal else _exact
    nothing = null_marker.encode("utf-8", "surrogateescape")

    def text(data: bytes | None) -> bytes:
        return nothing if data is None else shown(data)

    def render(record: PrintedRecord) -> bytes:
        return b"".join(part if isinstance(part, bytes) else part(record, text) for part in parts)

    return render


def _parts(template: bytes) -> list["bytes | _Field"]:
    parts: list[bytes | _Field] = []
    for found in _TEMPLATE.finditer(template):
        name, piece = found["name"], found[0]
        if name is not None:
            if name.decode() not in _FIELDS:
                raise ValueError(f"no field {{{name.decode()}}} in a template; known are {', '.join(_FIELDS)}")
            parts.append(_FIELDS[name.decode()])
        elif piece in (b"{{", b"}}"):
            parts.append(piece[:1])
        elif piece in (b"{", b"}"):
            begun = template[found.start() :][:20].decode("utf-8", "backslashreplace")
            raise ValueError(
                f"a brace is not one of a field such as {{value}}, at {begun!r}; {(piece * 2).decode()} prints one"
            )
        else:
            parts.append(piece)
    return parts


_TEMPLATE = re.compile(rb"\{(?P<name>[a-zA-Z_0-9]+)\}|\{\{|\}\}|[{}]|[^{}]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_Text = Callable[[bytes | None], bytes]
_Field = Callable[[PrintedRecord, _Text], bytes]


def _exact(data: bytes) -> bytes:
    return data


def _for_terminal(data: bytes) -> bytes:
    shown = data.decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", shown).encode()


def _when(record: PrintedRecord, _text: _Text) -> bytes:
    if record.timestamp_ms is None:
        return b"-"
    try:
        moment = datetime.fromtimestamp(record.timestamp_ms / 1_000, UTC)
    except (OverflowError, ValueError, OSError):
        return b"%d" % record.timestamp_ms
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()


def _headers(record: PrintedRecord, text: _Text) -> bytes:
    return b",".join(text(name.encode()) + b"=" + text(value) for name, value in record.headers) or b"-"


_FIELDS: dict[str, _Field] = {
    "topic": lambda record, _: record.topic.encode(),
    "partition": lambda record, _: b"%d" % record.partition,
    "offset": lambda record, _: b"%d" % record.offset,
    "timestamp": _when,
    "timestamp_ms": lambda record, _: b"-" if record.timestamp_ms is None else b"%d" % record.timestamp_ms,
    "key": lambda record, text: text(record.key),
    "value": lambda record, text: text(record.value),
    "headers": _headers,
}
