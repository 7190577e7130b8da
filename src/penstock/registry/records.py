"""What is in the topic `_schemas`: keys and values of Confluent's registry, as JSON. Keys are equal byte by byte, since
compaction goes by them.

Of our own is only the value of a NOOP record, which Confluent's passes over: the highest ids that were ever given, by
context. Without it an id would be given again once compaction has removed the schema that had it.
"""

from typing import Any, Final

import msgspec

SCHEMA: Final = "SCHEMA"
CONFIG: Final = "CONFIG"
MODE: Final = "MODE"
DELETE_SUBJECT: Final = "DELETE_SUBJECT"
NOOP: Final = "NOOP"

Record = tuple[bytes, bytes | None]


class Reference(msgspec.Struct, frozen=True):
    """A schema that another one needs, under the name by which that one calls it."""

    name: str
    subject: str
    version: int


class SchemaValue(msgspec.Struct, frozen=True, rename="camel"):
    subject: str
    version: int
    id: int
    schema: str
    schema_type: str = "AVRO"
    references: tuple[Reference, ...] = ()
    metadata: dict[str, Any] | None = None
    rule_set: dict[str, Any] | None = None
    deleted: bool = False


class Key(msgspec.Struct, frozen=True):
    keytype: str
    subject: str | None = None
    version: int = 0


def read_key(data: bytes) -> Key:
    return msgspec.json.decode(data, type=Key)


def read_schema(data: bytes) -> SchemaValue:
    return msgspec.json.decode(data, type=SchemaValue)


def read_fields(data: bytes) -> dict[str, Any]:
    return msgspec.json.decode(data, type=dict[str, Any])


def schema_record(value: SchemaValue) -> Record:
    fields: dict[str, Any] = {"subject": value.subject, "version": value.version, "id": value.id}
    fields |= described(value)
    return schema_key(value.subject, value.version), _json(fields | {"deleted": value.deleted})


def described(value: SchemaValue) -> dict[str, Any]:
    """The schema itself, without what is usual: Avro, no references."""
    fields: dict[str, Any] = {}
    if value.schema_type != "AVRO":
        fields["schemaType"] = value.schema_type
    if value.references:
        fields["references"] = [msgspec.to_builtins(each) for each in value.references]
    if value.metadata is not None:
        fields["metadata"] = value.metadata
    if value.rule_set is not None:
        fields["ruleSet"] = value.rule_set
    return fields | {"schema": value.schema}


def schema_key(subject: str, version: int) -> bytes:
    return _json({"keytype": SCHEMA, "subject": subject, "version": version, "magic": 1})


def schema_gone(subject: str, version: int) -> Record:
    return schema_key(subject, version), None


def subject_deleted(subject: str, version: int) -> Record:
    """All versions up to this one are deleted softly."""
    return _key(DELETE_SUBJECT, subject), _json({"subject": subject, "version": version})


def subject_gone(subject: str) -> Record:
    return _key(DELETE_SUBJECT, subject), None


def setting_record(kind: str, subject: str, fields: dict[str, Any] | None) -> Record:
    """A config or a mode. An empty subject: the registry's own. None: it is as if it was never set."""
    of = subject or None
    return _key(kind, of), None if fields is None else _json({"subject": of} | fields)


def ids_record(ids: dict[str, int]) -> Record:
    return _json({"keytype": NOOP, "magic": 0}), _json({"ids": ids})


def _key(kind: str, subject: str | None) -> bytes:
    return _json({"keytype": kind, "subject": subject, "magic": 0})


def _json(value: Any) -> bytes:
    return msgspec.json.encode(value)
