"""What the registry answers, and what it keeps: by hand, with the codes of Confluent's."""

import json

import pytest
from tests.support.registry import Play, record

V1 = record(("a", "int"))
WITH_DEFAULT = record(("a", "int"), ("b", "int", 0))
WITHOUT_DEFAULT = record(("a", "int"), ("b", "int"))
EMPTY = record()


@pytest.fixture
def play() -> Play:
    return Play()


def test_the_same_schema_has_the_same_id_in_every_subject(play: Play) -> None:
    assert play.register("s", V1) == 1
    assert play.register("s", json.dumps(json.loads(V1), indent=4)) == 1
    assert play.register("t", V1) == 1
    assert play.register("t", WITH_DEFAULT) == 2
    assert play.ask("GET", "subjects/s/versions") == [1] and play.ask("GET", "subjects/t/versions") == [1, 2]
    assert play.ask("GET", "schemas/ids/1/subjects") == ["s", "t"]
    assert play.ask("GET", "schemas/ids/1/versions") == [{"subject": "s", "version": 1}, {"subject": "t", "version": 1}]
    assert play.ask("GET", "schemas/ids/1") == {"schema": V1}
    assert play.ask("GET", "schemas/ids/1?fetchMaxId=true") == {"schema": V1, "maxId": 2}
    assert play.ask("GET", "schemas/ids/1/schema").text == V1
    assert play.ask("GET", "subjects/t/versions/latest") == {
        "subject": "t", "version": 2, "id": 2, "schema": WITH_DEFAULT
    }  # fmt: skip
    assert len(play.log) == 3


@pytest.mark.parametrize(
    ("level", "earlier", "new", "is_taken"),
    [
        ("NONE", [V1], '"string"', True),
        ("BACKWARD", [V1], WITH_DEFAULT, True),
        ("BACKWARD", [V1], WITHOUT_DEFAULT, False),
        ("BACKWARD", [V1], EMPTY, True),
        ("BACKWARD", [WITHOUT_DEFAULT, EMPTY], record(("b", "string", "")), True),
        ("BACKWARD_TRANSITIVE", [WITHOUT_DEFAULT, EMPTY], record(("b", "string", "")), False),
        ("BACKWARD_TRANSITIVE", [WITHOUT_DEFAULT, EMPTY], record(("b", "int", 0)), True),
        ("FORWARD", [V1], WITHOUT_DEFAULT, True),
        ("FORWARD", [V1], EMPTY, False),
        ("FORWARD", [record(("a", "long")), EMPTY], record(("a", "string")), True),
        ("FORWARD_TRANSITIVE", [record(("a", "long")), EMPTY], record(("a", "string")), False),
        ("FORWARD_TRANSITIVE", [record(("a", "long")), record(("a", "long", 0))], record(("a", "int")), True),
        ("FULL", [V1], WITH_DEFAULT, True),
        ("FULL", [V1], WITHOUT_DEFAULT, False),
        ("FULL", [V1], EMPTY, False),
        ("FULL", [WITH_DEFAULT, V1], record(("a", "int"), ("b", "string", "")), True),
        ("FULL_TRANSITIVE", [WITH_DEFAULT, V1], record(("a", "int"), ("b", "string", "")), False),
        ("FULL_TRANSITIVE", [WITH_DEFAULT, V1], record(("a", "int"), ("c", "string", "")), True),
    ],
)
def test_a_level_says_what_may_follow(play: Play, level: str, earlier: list[str], new: str, is_taken: bool) -> None:
    play.ask("PUT", "config/s", {"compatibility": "NONE"})
    for each in earlier:
        play.register("s", each)
    assert play.ask("PUT", "config/s", {"compatibility": level}) == {"compatibility": level}
    asked = {"schema": new}
    assert play.ask("POST", "compatibility/subjects/s/versions", asked) == {"is_compatible": is_taken}
    told = play.ask("POST", "compatibility/subjects/s/versions?verbose=true", asked)
    assert bool(told["messages"]) is not is_taken
    assert play.code("POST", "subjects/s/versions", asked) == (0 if is_taken else 409)


def test_one_version_is_compared_in_the_direction_of_the_level(play: Play) -> None:
    play.register("s", V1)
    play.register("s", WITH_DEFAULT)
    for version, is_compatible in (("1", False), ("2", True), ("latest", True)):
        path = f"compatibility/subjects/s/versions/{version}"
        new = record(("a", "int"), ("b", "long"))
        assert play.ask("POST", path, {"schema": new}) == {"is_compatible": is_compatible}
    assert play.ask("POST", "compatibility/subjects/none/versions/latest", {"schema": V1}) == {"is_compatible": True}
    assert play.code("POST", "compatibility/subjects/none/versions/1", {"schema": V1}) == 40402
    assert play.code("POST", "compatibility/subjects/s/versions/7", {"schema": V1}) == 40402


def test_what_is_deleted_softly_is_hidden_and_comes_back(play: Play) -> None:
    play.register("s", V1)
    play.register("s", WITH_DEFAULT)
    assert play.ask("DELETE", "subjects/s/versions/1") == 1
    assert play.code("DELETE", "subjects/s/versions/1") == 40406
    assert play.ask("GET", "subjects/s/versions") == [2]
    assert play.ask("GET", "subjects/s/versions?deleted=true") == [1, 2]
    assert play.ask("GET", "subjects/s/versions?deletedOnly=true") == [1]
    assert play.code("GET", "subjects/s/versions/1") == 40402
    assert play.ask("GET", "subjects/s/versions/1?deleted=true")["id"] == 1
    assert play.ask("GET", "schemas/ids/1") == {"schema": V1}, "records that carry the id can still be read"
    assert play.ask("GET", "schemas/ids/1/subjects") == []
    assert play.ask("GET", "schemas/ids/1/subjects?deleted=true") == ["s"]
    assert play.ask("DELETE", "subjects/s") == [2]
    assert play.code("DELETE", "subjects/s") == 40404
    assert play.ask("GET", "subjects") == [] and play.ask("GET", "subjects?deleted=true") == ["s"]
    assert play.code("GET", "subjects/s/versions") == 40401
    assert play.code("POST", "subjects/s", {"schema": V1}) == 40401
    assert play.ask("POST", "subjects/s?deleted=true", {"schema": V1})["version"] == 1
    assert play.register("s", V1) == 1, "the same schema, the same id"
    assert play.ask("GET", "subjects/s/versions") == [3], "a number of a version is not used again"


def test_what_is_deleted_for_good_was_deleted_softly_before(play: Play) -> None:
    play.register("s", V1)
    play.register("s", WITH_DEFAULT)
    assert play.code("DELETE", "subjects/s?permanent=true") == 40405
    assert play.code("DELETE", "subjects/s/versions/1?permanent=true") == 40407
    play.ask("DELETE", "subjects/s/versions/1")
    assert play.ask("DELETE", "subjects/s/versions/1?permanent=true") == 1
    assert play.code("GET", "schemas/ids/1") == 40403
    assert play.code("DELETE", "subjects/s/versions/1") == 40402
    play.ask("DELETE", "subjects/s")
    assert play.ask("DELETE", "subjects/s?permanent=true") == [2]
    assert play.code("DELETE", "subjects/s") == 40401 and play.ask("GET", "subjects?deleted=true") == []


def test_an_id_is_never_given_again_not_even_after_compaction(play: Play) -> None:
    play.register("s", V1)
    play.register(":.other:s", V1)
    assert play.register("t", WITH_DEFAULT) == 2
    play.ask("DELETE", "subjects/t")
    play.ask("DELETE", "subjects/t?permanent=true")
    later = play.compacted()
    assert len(later.log) == 3, "two schemas, and the highest ids"
    assert later.register("t", WITH_DEFAULT) == 3
    assert later.register(":.other:t", WITH_DEFAULT) == 2, "a context counts its own"


def test_what_was_kept_is_what_a_later_process_knows(play: Play) -> None:
    play.register("s", V1)
    play.register("s", WITH_DEFAULT, metadata={"properties": {"owner": "x"}}, ruleSet={"domainRules": []})
    play.register("t", V1)
    play.ask("PUT", "config", {"compatibility": "FULL"})
    play.ask("PUT", "config/s", {"compatibility": "NONE", "normalize": True})
    play.ask("PUT", "mode/t", {"mode": "READONLY"})
    play.ask("DELETE", "subjects/s/versions/1")
    play.register("u", EMPTY)
    play.ask("DELETE", "subjects/u")
    for path in (
        "subjects?deleted=true", "subjects", "subjects/s/versions?deleted=true", "subjects/s/versions/2", "config",
        "config/s", "mode", "mode/t", "schemas/ids/1/versions", "schemas?deleted=true", "contexts",
    ):  # fmt: skip
        assert play.compacted().ask("GET", path) == play.ask("GET", path), path


def test_a_schema_may_need_others(play: Play) -> None:
    play.register("city", '{"type":"record","name":"shop.City","fields":[{"name":"zip","type":"int"}]}')
    play.register("address", '{"type":"record","name":"shop.Address","fields":[{"name":"city","type":"shop.City"}]}',
                  references=[{"name": "shop.City", "subject": "city", "version": -1}])  # fmt: skip
    schema = '{"type":"record","name":"shop.Customer","fields":[{"name":"home","type":"shop.Address"}]}'
    references = [{"name": "shop.Address", "subject": "address", "version": 1}]
    assert play.code("POST", "subjects/customer/versions", {"schema": schema}) == 42201
    assert play.register("customer", schema, references=references) == 3
    found = play.ask("GET", "subjects/customer/versions/1")
    assert found["references"] == references and "City" not in found["schema"]
    assert json.loads(play.ask("GET", "schemas/ids/3?format=resolved")["schema"])["fields"][0]["type"]["fields"]
    assert play.ask("GET", "subjects/city/versions/1/referencedby") == [2]
    assert play.ask("GET", "subjects/address/versions/latest/referencedby") == [3]
    assert play.ask("POST", "subjects/customer", {"schema": schema, "references": references})["version"] == 1
    for path in ("subjects/address", "subjects/address/versions/1"):
        assert play.code("DELETE", path) == 42206
    play.ask("DELETE", "subjects/customer")
    assert play.ask("DELETE", "subjects/address") == [1]
    missing = [{"name": "shop.Address", "subject": "address", "version": 9}]
    assert play.code("POST", "subjects/x/versions", {"schema": schema, "references": missing}) == 42201


def test_modes_say_who_may_write(play: Play) -> None:
    play.register("s", V1)
    assert play.ask("GET", "mode") == {"mode": "READWRITE"} and play.code("GET", "mode/s") == 40409
    assert play.ask("PUT", "mode/s", {"mode": "READONLY"}) == {"mode": "READONLY"}
    assert play.register("s", V1) == 1, "nothing is written"
    assert play.code("POST", "subjects/s/versions", {"schema": WITH_DEFAULT}) == 42205
    assert (
        play.code("DELETE", "subjects/s") == 42205 and play.code("PUT", "config/s", {"compatibility": "NONE"}) == 42205
    )
    assert play.ask("DELETE", "mode/s") == {"mode": "READONLY"}
    play.ask("PUT", "mode", {"mode": "READONLY"})
    play.ask("PUT", "mode/s", {"mode": "READWRITE"})
    assert play.register("s", WITH_DEFAULT) == 2, "the nearer mode counts"
    play.ask("PUT", "mode", {"mode": "READONLY_OVERRIDE"})
    assert play.code("POST", "subjects/s/versions", {"schema": EMPTY}) == 42205
    assert play.code("PUT", "mode", {"mode": "SLEEPY"}) == 42204


def test_import_brings_ids_and_versions_along(play: Play) -> None:
    play.register("s", V1)
    given = {"schema": WITH_DEFAULT, "id": 77, "version": 5}
    assert play.code("POST", "subjects/new/versions", given) == 42205, "not in import mode"
    assert play.code("PUT", "mode", {"mode": "IMPORT"}) == 42205, "there are subjects"
    play.ask("PUT", "mode/new", {"mode": "IMPORT"})
    assert play.ask("POST", "subjects/new/versions", given) == {"id": 77}
    assert play.ask("GET", "subjects/new/versions") == [5]
    assert play.code("POST", "subjects/new/versions", {"schema": EMPTY, "id": 77}) == 42205, "the id is another's"
    assert play.code("POST", "subjects/new/versions", {"schema": EMPTY}) == 42205, "it comes with its id"
    play.ask("DELETE", "mode/new")
    assert play.register("t", EMPTY) == 78
    play.ask("PUT", "mode?force=true", {"mode": "IMPORT"})


def test_settings_of_a_subject_stand_above_those_of_its_context_and_the_registry(play: Play) -> None:
    assert play.ask("GET", "config") == {"compatibilityLevel": "BACKWARD"}
    assert play.code("GET", "config/s") == 40408 and play.code("DELETE", "config/s") == 40408
    assert play.ask("GET", "config/s?defaultToGlobal=true") == {"compatibilityLevel": "BACKWARD"}
    play.ask("PUT", "config", {"compatibility": "FULL"})
    assert play.ask("GET", "config/s?defaultToGlobal=true") == {"compatibilityLevel": "FULL"}
    play.ask("PUT", "contexts/.x/config", {"compatibility": "FORWARD"})
    assert play.ask("GET", "config/:.x:s?defaultToGlobal=true") == {"compatibilityLevel": "FORWARD"}
    assert play.ask("GET", "contexts/x/config") == {"compatibilityLevel": "FORWARD"}
    play.ask("PUT", "config/:.x:s", {"compatibility": "NONE"})
    assert play.ask("GET", "contexts/.x/config/s") == {"compatibilityLevel": "NONE"}
    assert play.ask("DELETE", "config/:.x:s") == {"compatibilityLevel": "NONE"}
    assert play.ask("DELETE", "config") == {"compatibilityLevel": "FULL"}
    assert play.ask("GET", "config") == {"compatibilityLevel": "BACKWARD"}
    assert play.code("PUT", "config", {"compatibility": "SOMEHOW"}) == 42203


def test_a_subject_that_goes_takes_its_settings_along(play: Play) -> None:
    for delete in ("subjects/s", "subjects/s/versions/latest"):
        play.register("s", V1)
        play.ask("PUT", "config/s", {"compatibility": "NONE"})
        play.ask("DELETE", delete)
        assert play.code("GET", "config/s") == 40408


def test_contexts_are_registries_of_their_own(play: Play) -> None:
    play.register("s", V1)
    assert play.ask("POST", "contexts/.x/subjects/s/versions", {"schema": EMPTY}) == {"id": 1}
    assert play.ask("GET", "subjects") == [":.x:s", "s"] and play.ask("GET", "contexts") == [".", ".x"]
    assert play.ask("GET", "contexts/.x/subjects") == [":.x:s"] and play.ask("GET", "subjects?subjectPrefix=s") == ["s"]
    assert play.ask("GET", "contexts/.x/schemas/ids/1") == {"schema": EMPTY}
    assert play.ask("GET", "schemas/ids/1?subject=:.x:s") == {"schema": EMPTY}
    assert play.ask("GET", "schemas/ids/1") == {"schema": V1}
    assert play.ask("GET", "subjects/:.:s/versions") == [1], "the default context by its name"


def test_normalizing_gives_one_id_to_two_spellings(play: Play) -> None:
    one = '{"type":"record","name":"a.R","fields":[],"z":1,"y":2}'
    other = '{"type":"record","namespace":"a","name":"R","fields":[],"y":2,"z":1}'
    assert play.register("s", one) != play.register("s", other)
    play.ask("PUT", "config/n", {"normalize": True})
    assert play.register("n", one) == play.register("n", other)
    assert play.ask("POST", "subjects/m/versions?normalize=true", {"schema": one}) == {"id": play.register("n", one)}


def test_pages_of_lists(play: Play) -> None:
    for number in range(5):
        play.register(f"s{number}", record(("a", "int"), name=f"R{number}"))
    assert play.ask("GET", "subjects?offset=1&limit=2") == ["s1", "s2"]
    assert [each["id"] for each in play.ask("GET", "schemas?offset=3&limit=-1")] == [4, 5]
    play.register("s0", record(("a", "int"), ("b", "int", 0), name="R0"))
    assert [each["version"] for each in play.ask("GET", "schemas?latestOnly=true&subjectPrefix=s0")] == [2]


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "nothing", None, 404),
        ("PATCH", "subjects", None, 404),
        ("GET", "subjects/s", None, 404),
        ("GET", "subjects/s/versions", None, 40401),
        ("GET", "subjects/s/versions/0", None, 42202),
        ("GET", "subjects/s/versions/-2", None, 42202),
        ("GET", "subjects/s/versions/2147483648", None, 42202),
        ("GET", "subjects/s/versions/9999999999999999999999999", None, 42202),
        ("GET", "subjects/s/versions/x", None, 42202),
        ("GET", "schemas/ids/9", None, 40403),
        ("GET", "schemas/ids/x", None, 40403),
        ("GET", "schemas/ids/99999999999999999999999999999999999", None, 40403),
        ("POST", "subjects/s/versions", None, 422),
        ("POST", "subjects/s/versions", [], 422),
        ("POST", "subjects/s/versions", {"schema": 5}, 422),
        ("POST", "subjects/s/versions", {}, 42201),
        ("POST", "subjects/s/versions", {"schema": "{"}, 42201),
        ("POST", "subjects/s/versions", {"schema": '"int"', "schemaType": "XML"}, 42201),
        ("POST", "subjects/s/versions", {"schema": '"int"', "references": [{}]}, 422),
        ("POST", "subjects/s/versions", {"schema": f'{{"type":"int","x":"{"y" * 1_000_000}"}}'}, 42201),
        ("POST", "subjects/%00/versions", {"schema": '"int"'}, 42208),
        ("POST", "subjects/__GLOBAL/versions", {"schema": '"int"'}, 42208),
        ("POST", "subjects/:.x:/versions", {"schema": '"int"'}, 42208),
        ("POST", "subjects/s", {"schema": '"int"'}, 40401),
        ("DELETE", "subjects/s", None, 40401),
        ("DELETE", "subjects/s/versions/1", None, 40401),
        ("GET", f"subjects/s/versions/000000000001{'9' * 5000}", None, 42202),
        ("PUT", "config", {"compatibility": 5}, 42203),
        ("PUT", "config", {"compatibility": []}, 42203),
        ("PUT", "config", {"compatibilityLevel": "SOME"}, 42203),
        ("PUT", "config", [], 422),
        ("PUT", "mode", {}, 42204),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    play: Play, method: str, path: str, body: object, code: int
) -> None:
    assert play.code(method, path, body) == code
    assert not play.log


def test_a_config_is_taken_back_as_it_was_given_out(play: Play) -> None:
    play.ask("PUT", "config/s", {"compatibility": "FULL"})
    given_out = play.ask("GET", "config/s")
    assert play.ask("PUT", "config/t", given_out) == given_out == play.ask("GET", "config/t")


def test_a_limit_without_end_is_none(play: Play) -> None:
    play.register("s", V1)
    assert play.ask("GET", f"subjects?limit={'9' * 5000}") == ["s"]


def test_an_import_over_a_version_does_not_free_its_id(play: Play) -> None:
    play.ask("PUT", "mode?force=true", {"mode": "IMPORT"})
    play.register("s", V1, id=100, version=1)
    play.register("s", EMPTY, id=5, version=1)
    later = play.compacted()
    later.ask("PUT", "mode", {"mode": "READWRITE"})
    assert later.register("t", WITH_DEFAULT) == 101


def test_a_schema_comes_back_without_what_is_usual(play: Play) -> None:
    play.register("s", '{"type":"string"}', schemaType="AVRO", references=[], somethingNew=1)
    assert play.ask("GET", "schemas/ids/1") == {"schema": '"string"'}
    key, value = play.log[0]
    assert key == b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}'
    assert value == b'{"subject":"s","version":1,"id":1,"schema":"\\"string\\"","deleted":false}'


def test_records_of_others_are_understood_or_passed_over(play: Play) -> None:
    for key, value in (
        (b'{"keytype":"NOOP","magic":0}', None),
        (b"no json", b"{}"),
        (b'{"keytype":"CONFIG","subject":"s","magic":0}', b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        (b'{"keytype":"CONTEXT","tenant":"default","context":".","magic":0}', b'{"tenant":"default","context":"."}'),
        (b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":0}', b'{"subject":"s","version":1,"id":4,"md5":"x",'
         b'"schema":"\\"int\\"","deleted":false,"guid":"g","offset":3,"ts":1}'),
        (b'{"keytype":"SCHEMA","subject":"s","version":2,"magic":1}', b"not a schema"),
        (b'{"keytype":"CONFIG","subject":null,"magic":0}', b'{"compatibilityLevel":"FULL"}'),
        (b'{"keytype":"MODE","subject":"t","magic":0}', b'{"subject":"t","mode":"IMPORT"}'),
        (b'{"keytype":"DELETE_SUBJECT","subject":"u","magic":0}', b'{"subject":"u","version":3}'),
        (b'{"keytype":"CLEAR_SUBJECT","subject":"u","magic":0}', b'{"subject":"u"}'),
    ):  # fmt: skip
        play.state.apply(key, value)
    assert play.ask("GET", "subjects/s/versions/latest")["id"] == 4
    assert play.ask("GET", "config") == {"compatibilityLevel": "FULL"} and play.ask("GET", "mode/t") == {
        "mode": "IMPORT"
    }
    assert play.register("v", '"long"') == 5
