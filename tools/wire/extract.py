"""Read message schemas out of Kafka's jars and keep their facts; descriptions and comments stay behind."""

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.wire.left_out import without_left_out

_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_SCHEMA = re.compile(r"(common/)?message/\w+\.json")
_BOOLEANS = {"true": True, "false": False}


def extract(jars: list[Path]) -> dict[str, Any]:
    messages = [_message(schema) for jar in jars for schema in _schemas(jar)]
    return {"messages": sorted(without_left_out(messages), key=lambda message: str(message["name"]))}


def dump(facts: dict[str, Any]) -> str:
    """JSON with one field a line, so that a new Kafka release shows as a readable diff."""
    body = ",\n".join(_dumped(each, depth=1) for each in facts["messages"])
    return '{"messages": [\n' + body + "\n]}\n"


def _schemas(jar: Path) -> Iterator[dict[str, Any]]:
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if _SCHEMA.fullmatch(name):
                yield json.loads(_COMMENT.sub("", archive.read(name).decode()))


def _message(schema: dict[str, Any]) -> dict[str, Any]:
    facts = {"name": schema["name"], "kind": schema["type"]}
    if "apiKey" in schema:
        facts["key"] = schema["apiKey"]
    facts["versions"] = schema["validVersions"]
    if schema.get("flexibleVersions", "none") != "none":
        facts["flexible"] = schema["flexibleVersions"]
    if "listeners" in schema:
        facts["listeners"] = schema["listeners"]
    if schema.get("latestVersionUnstable"):
        facts["unstable"] = True
    if "fields" in schema:
        facts["fields"] = [_field(each) for each in schema["fields"]]
    if "commonStructs" in schema:
        facts["structs"] = [
            {"name": each["name"], "fields": [_field(field) for field in each["fields"]]}
            for each in schema["commonStructs"]
        ]
    return facts


def _field(schema: dict[str, Any]) -> dict[str, Any]:
    facts = {"name": schema["name"], "type": schema["type"]}
    # A field that is only ever tagged may leave its versions out.
    facts["versions"] = schema.get("versions") or schema["taggedVersions"]
    for fact, key in (("nullable", "nullableVersions"), ("tagged", "taggedVersions"), ("flexible", "flexibleVersions")):
        if key in schema:
            facts[fact] = schema[key]
    if "tag" in schema:
        facts["tag"] = schema["tag"]
    # The text "null" is a default; a JSON null is none, so that the field starts out empty.
    if schema.get("default") is not None:
        facts["default"] = _default(schema["type"], schema["default"])
    if schema.get("ignorable"):
        facts["ignorable"] = True
    if schema.get("mapKey"):
        facts["map_key"] = True
    if "fields" in schema:
        facts["fields"] = [_field(each) for each in schema["fields"]]
    return facts


def _default(kind: str, raw: Any) -> Any:
    if raw == "null":
        return None
    if kind == "bool":
        return _BOOLEANS[str(raw).lower()]
    if kind == "string":
        return raw
    return int(str(raw), base=0)


def _dumped(facts: dict[str, Any], depth: int) -> str:
    nested = {key: value for key, value in facts.items() if key in ("fields", "structs")}
    line = json.dumps({key: value for key, value in facts.items() if key not in nested})
    indent = " " * depth
    for key, items in nested.items():
        body = ",\n".join(_dumped(each, depth + 1) for each in items)
        line = f'{line[:-1]}, "{key}": [\n{body}]' + "}" if items else line[:-1] + f', "{key}": []' + "}"
    return indent + line
