"""Kafka's messages as plain dictionaries, driven by the schemas in the kafka-clients jar.

A judge must not share the faults of what it judges: this codec is independent of penstock.wire and favours plainness
over speed. Names are Kafka's in snake case, uuids are 16 raw bytes, absent fields take their defaults.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.support import java

type_formats = {
    "int8": ">b",
    "int16": ">h",
    "uint16": ">H",
    "int32": ">i",
    "uint32": ">I",
    "int64": ">q",
    "float64": ">d",
}
_NEVER = (1, 0)


def _versions(text: str | None) -> tuple[int, int]:
    if text is None or text == "none":
        return _NEVER
    if text.endswith("+"):
        return int(text[:-1]), 32767
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def _within(version: int, span: tuple[int, int]) -> bool:
    return span[0] <= version <= span[1]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@dataclass
class Field:
    name: str
    type: str
    versions: tuple[int, int]
    nullable: tuple[int, int]
    tagged: tuple[int, int]
    tag: int
    default: str | None
    fields: list[Field] = field(default_factory=list)

    def default_value(self, version: int) -> Any:
        if self.type.startswith("[]"):
            return None if self.default == "null" else []
        if self.default == "null":
            return None
        match self.type:
            case "bool":
                return str(self.default).lower() == "true"
            case "float64":
                return float(self.default or 0)
            case "string":
                return self.default or ""
            case "bytes" | "records":
                return b""
            case "uuid":
                return bytes(16)
            case number if number in type_formats:
                return int(str(self.default or 0), 0)
        return {each.name: each.default_value(version) for each in self.fields if _within(version, each.versions)}


@dataclass
class Message:
    name: str
    api_key: int
    versions: tuple[int, int]
    flexible: tuple[int, int]
    fields: list[Field]

    def is_flexible(self, version: int) -> bool:
        return _within(version, self.flexible)

    def encode(self, body: dict[str, Any], version: int) -> bytes:
        out = bytearray()
        _write_struct(out, self.fields, body, version, flexible=self.is_flexible(version), where=self.name)
        return bytes(out)

    def decode(self, data: bytes, version: int) -> dict[str, Any]:
        reader = Reader(data)
        value = _read_struct(reader, self.fields, version, flexible=self.is_flexible(version))
        if reader.position != len(data):
            raise ValueError(f"{self.name} v{version}: {len(data) - reader.position} bytes left over")
        return value


class Reader:
    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def take(self, size: int) -> bytes:
        if size < 0 or self.position + size > len(self.data):
            raise ValueError(f"{size} bytes wanted at {self.position} of {len(self.data)}")
        taken = self.data[self.position : self.position + size]
        self.position += size
        return taken

    def number(self, kind: str) -> Any:
        layout = type_formats[kind]
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def uvarint(self) -> int:
        value = shift = 0
        while True:
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7


def uvarint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _write_length(out: bytearray, length: int, kind: str, *, flexible: bool) -> None:
    """`length` is -1 for null."""
    if flexible:
        out += uvarint(length + 1)
    else:
        out += struct.pack(">h" if kind == "string" else ">i", length)


def _write(out: bytearray, kind: str, spec: Field, value: Any, version: int, *, flexible: bool, where: str) -> None:
    if kind.startswith("[]"):
        _write_length(out, -1 if value is None else len(value), "array", flexible=flexible)
        for index, each in enumerate(value or []):
            _write(out, kind[2:], spec, each, version, flexible=flexible, where=f"{where}[{index}]")
    elif kind in type_formats:
        out += struct.pack(type_formats[kind], value)
    elif kind == "bool":
        out.append(1 if value else 0)
    elif kind == "uuid":
        out += value
    elif kind in ("string", "bytes", "records"):
        raw = value.encode() if isinstance(value, str) else value
        _write_length(out, -1 if raw is None else len(raw), kind, flexible=flexible)
        out += raw or b""
    else:
        if _within(version, spec.nullable) and not spec.type.startswith("[]"):
            out += struct.pack(">b", -1 if value is None else 1)
        if value is not None:
            _write_struct(out, spec.fields, value, version, flexible=flexible, where=where)


def _write_struct(
    out: bytearray, fields: list[Field], body: dict[str, Any], version: int, *, flexible: bool, where: str
) -> None:
    unknown = set(body) - {each.name for each in fields}
    if unknown:
        raise KeyError(f"{where} has no field {', '.join(sorted(unknown))}")
    tags: dict[int, bytes] = {}
    for each in fields:
        if not _within(version, each.versions):
            continue
        value = body.get(each.name, each.default_value(version))
        inner = f"{where}.{each.name}"
        if _within(version, each.tagged):
            if each.name in body and value != each.default_value(version):
                tagged = bytearray()
                _write(tagged, each.type, each, value, version, flexible=True, where=inner)
                tags[each.tag] = bytes(tagged)
        else:
            _write(out, each.type, each, value, version, flexible=flexible, where=inner)
    if flexible:
        out += uvarint(len(tags))
        for tag in sorted(tags):
            out += uvarint(tag) + uvarint(len(tags[tag])) + tags[tag]


def _read_length(reader: Reader, kind: str, *, flexible: bool) -> int:
    if flexible:
        return reader.uvarint() - 1
    length: int = reader.number("int16" if kind == "string" else "int32")
    return length


def _read(reader: Reader, kind: str, spec: Field, version: int, *, flexible: bool) -> Any:
    if kind.startswith("[]"):
        count = _read_length(reader, "array", flexible=flexible)
        return None if count < 0 else [_read(reader, kind[2:], spec, version, flexible=flexible) for _ in range(count)]
    if kind in type_formats:
        return reader.number(kind)
    if kind == "bool":
        return reader.number("int8") != 0
    if kind == "uuid":
        return reader.take(16)
    if kind in ("string", "bytes", "records"):
        length = _read_length(reader, kind, flexible=flexible)
        raw = None if length < 0 else reader.take(length)
        return raw.decode() if raw is not None and kind == "string" else raw
    if _within(version, spec.nullable) and not spec.type.startswith("[]") and reader.number("int8") < 0:
        return None
    return _read_struct(reader, spec.fields, version, flexible=flexible)


def _read_struct(reader: Reader, fields: list[Field], version: int, *, flexible: bool) -> dict[str, Any]:
    value: dict[str, Any] = {}
    tagged = {each.tag: each for each in fields if _within(version, each.tagged)}
    for each in fields:
        if not _within(version, each.versions):
            continue
        if _within(version, each.tagged):
            value[each.name] = each.default_value(version)
        else:
            value[each.name] = _read(reader, each.type, each, version, flexible=flexible)
    if flexible:
        for _ in range(reader.uvarint()):
            tag, size = reader.uvarint(), reader.uvarint()
            inner = Reader(reader.take(size))
            if tag in tagged:
                spec = tagged[tag]
                value[spec.name] = _read(inner, spec.type, spec, version, flexible=True)
            else:
                value[f"unknown_tag_{tag}"] = inner.data
    return value


def _field(raw: dict[str, Any], common: dict[str, list[dict[str, Any]]]) -> Field:
    base = raw["type"].removeprefix("[]")
    return Field(
        name=snake(raw["name"]),
        type=raw["type"],
        versions=_versions(raw["versions"]),
        nullable=_versions(raw.get("nullableVersions")),
        tagged=_versions(raw.get("taggedVersions")),
        tag=raw.get("tag", -1),
        default=raw.get("default"),
        fields=[_field(each, common) for each in raw.get("fields") or common.get(base, [])],
    )


def _message(raw: dict[str, Any]) -> Message:
    common = {each["name"]: each["fields"] for each in raw.get("commonStructs", [])}
    return Message(
        name=raw["name"],
        api_key=raw.get("apiKey", -1),
        versions=_versions(raw["validVersions"]),
        flexible=_versions(raw.get("flexibleVersions")),
        fields=[_field(each, common) for each in raw.get("fields", [])],
    )


@cache
def messages() -> dict[str, Message]:
    """Every message of Kafka's schemas, by name: ProduceRequest, ProduceResponse, ..."""
    found: dict[str, Message] = {}
    with zipfile.ZipFile(java.jar("kafka-clients")) as archive:
        for name in archive.namelist():
            if name.startswith("common/message/") and name.endswith(".json"):
                text = re.sub(r"^\s*//.*$", "", archive.read(name).decode(), flags=re.MULTILINE)
                message = _message(json.loads(text))
                found[message.name] = message
    return found
