"""The facts of Kafka's message schemas, as the generator sees them: names, types, versions, tags, defaults; with the
few fields that are our own.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.wire.own_fields import with_own_fields

FACTS = Path(__file__).with_name("facts.json")
NO_END = 32767  # versions are int16 on the wire, so "9+" ends here


@dataclass(frozen=True)
class Versions:
    """An unbroken range; empty where low is above high."""

    low: int
    high: int

    @classmethod
    def parse(cls, text: str | None) -> "Versions":
        match text:
            case None | "none":
                return cls(1, 0)
            case _ if text.endswith("+"):
                return cls(int(text[:-1]), NO_END)
        low, _, high = text.partition("-")
        return cls(int(low), int(high or low))

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high

    def __bool__(self) -> bool:
        return self.low <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))


@dataclass(frozen=True)
class Field:
    name: str  # as Kafka spells it
    type: str  # a primitive or a struct's name, without the brackets of an array
    is_array: bool
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int | None
    default: Any  # None is null: only nullable fields (and records) have it
    ignorable: bool
    always_plain: bool  # never in compact form, whatever the version: the client id of the request header
    is_map_key: bool
    fields: tuple["Field", ...] | None  # of a struct declared in place

    @property
    def python_name(self) -> str:
        return snake(self.name)

    @property
    def is_struct(self) -> bool:
        return self.type[0].isupper()


@dataclass(frozen=True)
class Message:
    name: str
    kind: str
    key: int | None
    versions: Versions
    flexible: Versions
    listeners: tuple[str, ...]
    latest_is_unstable: bool
    only_the_api: bool  # never sent nor answered here: no fields are kept (tools/wire/left_out.py)
    fields: tuple[Field, ...]
    structs: dict[str, tuple[Field, ...]]  # every nested struct by name, shared and in place

    @property
    def module(self) -> str:
        return snake(self.name)


_IMPLICIT_DEFAULTS: dict[str, Any] = dict.fromkeys(("string", "bytes", "uuid", "records"), "")
_IMPLICIT_DEFAULTS |= {"bool": False, "float64": 0.0}


def load(path: Path = FACTS) -> list[Message]:
    """Every message, and of some requests the API alone."""
    return [_message(with_own_fields(raw)) for raw in json.loads(path.read_text())["messages"]]


def snake(name: str) -> str:
    name = name.replace("KRaft", "Kraft")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _message(raw: dict[str, Any]) -> Message:
    valid = Versions.parse(raw["versions"])
    fields = _fields(raw.get("fields", ()), valid)
    structs: dict[str, tuple[Field, ...]] = {}
    for shared in raw.get("structs", ()):
        structs[shared["name"]] = _fields(shared["fields"], valid)
    for group in [fields, *structs.copy().values()]:
        _gather(group, structs)
    return Message(
        name=raw["name"],
        kind=raw["kind"],
        key=raw.get("key"),
        versions=valid,
        flexible=Versions.parse(raw.get("flexible")),
        listeners=tuple(raw.get("listeners", ())),
        latest_is_unstable=raw.get("unstable", False),
        only_the_api=raw.get("only_the_api", False),
        fields=fields,
        structs=structs,
    )


def _gather(fields: tuple[Field, ...], structs: dict[str, tuple[Field, ...]]) -> None:
    for field in fields:
        if field.fields is not None:
            if structs.setdefault(field.type, field.fields) != field.fields:
                raise ValueError(f"two structs named {field.type}")
            _gather(field.fields, structs)


def _fields(raw: Iterable[dict[str, Any]], valid: Versions) -> tuple[Field, ...]:
    """Fields of versions that Kafka has dropped are left out."""
    fields = (_field(each, valid) for each in raw)
    return tuple(field for field in fields if any(version in field.versions for version in valid))


def _field(raw: dict[str, Any], valid: Versions) -> Field:
    kind: str = raw["type"]
    is_array = kind.startswith("[]")
    kind = kind.removeprefix("[]")
    nullable = Versions.parse(raw.get("nullable"))
    if "default" in raw:
        default = raw["default"]
    elif kind == "records" and nullable:
        default = None
    else:
        default = () if is_array else _IMPLICIT_DEFAULTS.get(kind, 0)
    return Field(
        name=raw["name"],
        type=kind,
        is_array=is_array,
        versions=Versions.parse(raw["versions"]),
        nullable=nullable,
        tagged=Versions.parse(raw.get("tagged")),
        tag=raw.get("tag"),
        default=default,
        ignorable=raw.get("ignorable", False),
        always_plain=raw.get("flexible") == "none",
        is_map_key=raw.get("map_key", False),
        fields=_fields(raw["fields"], valid) if "fields" in raw else None,
    )
