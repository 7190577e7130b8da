"""The generator: what it keeps of a schema, and which versions it lets share code."""

import json
import zipfile
from pathlib import Path

from tests.support.wire_values import MESSAGES
from tools.wire.extract import dump, extract
from tools.wire.facts import Versions, load, snake
from tools.wire.layout import Layouts
from tools.wire.module import MADE_BY, codec_text, structs_text

SCHEMA = """
// A licence.
{
  "apiKey": 900, "type": "request", "listeners": ["broker"], "name": "AskRequest",
  // What changed in version 1.
  "validVersions": "0-2", "flexibleVersions": "2+",
  "fields": [
    {"name": "Name", "type": "string", "versions": "0+", "nullableVersions": "1+", "default": "null", "about": "Text."},
    { "name": "TimeoutMs", "type": "int32", "versions": "1+", "default": "0x10", "ignorable": true, "about": "Text." },
    { "name": "Extra", "type": "[]int32", "versions": "2+", "taggedVersions": "2+", "tag": 0, "default": null,
      "nullableVersions": "2+", "about": "Text." },
    { "name": "Gone", "type": "bool", "versions": "3+", "about": "Text." }
  ]
}
"""


def facts_of_schema(folder: Path) -> Path:
    jar = folder / "some.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("common/message/AskRequest.json", SCHEMA)
        archive.writestr("common/other/Not.json", "{}")
    facts = folder / "facts.json"
    facts.write_text(dump(extract([jar])))
    return facts


def test_facts_are_kept_and_text_is_not(tmp_path: Path) -> None:
    facts = facts_of_schema(tmp_path)
    [message] = json.loads(facts.read_text())["messages"]
    assert message["name"] == "AskRequest"
    assert message["fields"][0] == {
        "name": "Name",
        "type": "string",
        "versions": "0+",
        "nullable": "1+",
        "default": None,
    }
    assert message["fields"][1]["default"] == 16
    assert "Text" not in facts.read_text()
    assert "licence" not in facts.read_text()


def test_a_json_null_is_no_default_while_the_text_null_is_one(tmp_path: Path) -> None:
    [message] = load(facts_of_schema(tmp_path))
    assert [field.default for field in message.fields] == [None, 16, ()]


def test_a_field_of_no_valid_version_is_left_out(tmp_path: Path) -> None:
    [message] = load(facts_of_schema(tmp_path))
    assert [field.python_name for field in message.fields] == ["name", "timeout_ms", "extra"]


def test_a_module_names_its_maker_and_compiles(tmp_path: Path) -> None:
    [message] = load(facts_of_schema(tmp_path))
    for text in (structs_text(message), codec_text(message)):
        assert text.startswith(MADE_BY)
        compile(text, "ask_request.py", "exec")


def test_versions_that_look_alike_share_a_layout() -> None:
    layouts = Layouts(MESSAGES["HeartbeatRequest"], writing=False).by_version
    assert layouts[0] is layouts[1] is layouts[2]
    assert len({id(layout) for layout in layouts.values()}) == 3  # v3 adds an instance id, v4 is flexible


def test_version_ranges() -> None:
    assert list(Versions.parse("3-5")) == [3, 4, 5]
    assert list(Versions.parse("7")) == [7]
    assert 9 in Versions.parse("9+")
    assert 8 not in Versions.parse("9+")
    assert not Versions.parse("none")
    assert not Versions.parse(None)


def test_names_in_snake_case() -> None:
    assert snake("TimeoutMs") == "timeout_ms"
    assert snake("V3AndBelowTransactionalId") == "v3_and_below_transactional_id"
    assert snake("KRaftVersionRecord") == "kraft_version_record"
    assert snake("clusterId") == "cluster_id"
