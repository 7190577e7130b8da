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
        **_json_bytes("key", record.key),
        **_json_bytes("value", record.value),
        "headers": [{"name": name, **_json_bytes("value", value)} for name, value in record.headers],
    }
    return _encoder.encode(document) + b"\n"


def _json_bytes(name: str, data: bytes | None) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    try:
        return {name: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}


def make_printer(template: str, *, null_marker: str = "null", for_terminal: bool = False) -> Printer:
    """A printer for a template such as "{offset} {key}={value}"; ValueError names a field that does not exist."""
    pieces = re.split(r"\{(\w+)\}", template)
    literals, names = pieces[::2], pieces[1::2]
    if unknown := [name for name in names if name not in _FIELDS]:
        raise ValueError(f"no field {{{unknown[0]}}} in a template; known are {', '.join(_FIELDS)}")
    getters = [_FIELDS[name] for name in names]

    def text(data: bytes | None) -> str:
        if data is None:
            return null_marker
        shown = data.decode("utf-8", "backslashreplace")
        # A terminal acts on control characters, and records may come from strangers.
        return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", shown) if for_terminal else shown

    def render(record: PrintedRecord) -> bytes:
        parts = [literals[0]]
        for getter, literal in zip(getters, literals[1:], strict=True):
            parts.append(getter(record, text))
            parts.append(literal)
        return "".join(parts).encode("utf-8", "surrogateescape")

    return render


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_Text = Callable[[bytes | None], str]


def _when(record: PrintedRecord, _text: _Text) -> str:
    if record.timestamp_ms is None:
        return "-"
    try:
        moment = datetime.fromtimestamp(record.timestamp_ms / 1_000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(record.timestamp_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _headers(record: PrintedRecord, text: _Text) -> str:
    return ",".join(f"{name}={text(value)}" for name, value in record.headers) or "-"


_FIELDS: dict[str, Callable[[PrintedRecord, _Text], str]] = {
    "topic": lambda record, _: record.topic,
    "partition": lambda record, _: str(record.partition),
    "offset": lambda record, _: str(record.offset),
    "timestamp": _when,
    "timestamp_ms": lambda record, _: "-" if record.timestamp_ms is None else str(record.timestamp_ms),
    "key": lambda record, text: text(record.key),
    "value": lambda record, text: text(record.value),
    "headers": _headers,
}
