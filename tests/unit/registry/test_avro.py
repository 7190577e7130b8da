"""Avro by hand: what Java's judgement of many pairs does not show."""

import json

import pytest

from penstock.registry.avro import InvalidSchema, parse, problems, written

ADDRESS = '{"type": "record", "name": "Address", "namespace": "shop", "fields": [{"name": "city", "type": "string"}]}'
CUSTOMER = """{"type": "record", "name": "Customer", "namespace": "shop", "fields": [
    {"name": "home", "type": "Address"}, {"name": "work", "type": ["null", "shop.Address"], "default": null}]}"""


def text_of(text: str, *references: str, normalized: bool = False) -> str:
    schema, outside = parse(text, references)
    return written(schema, outside, normalized=normalized)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('{"type": "string"}', '"string"'),
        ('{"type": "string", "doc": "dropped", "logicalType": "uuid"}', '{"type":"string","logicalType":"uuid"}'),
        ('[ "null" , {"type":"int"} ]', '["null","int"]'),
        (
            '{"fields": [], "name": "a.b.R", "type": "record"}',
            '{"type":"record","name":"R","namespace":"a.b","fields":[]}',
        ),
        ('{"type":"enum","name":"E","symbols":["Ä"]}', '{"type":"enum","name":"E","symbols":["Ä"]}'),
    ],
)
def test_a_schema_is_written_in_one_way(given: str, kept: str) -> None:
    assert text_of(given) == kept
    assert text_of(kept) == kept


def test_a_type_of_a_reference_is_named_and_not_repeated() -> None:
    text = text_of(CUSTOMER, ADDRESS)
    assert json.loads(text)["fields"][0] == {"name": "home", "type": "Address"}
    with pytest.raises(InvalidSchema, match='"Address" is no defined name'):
        parse(CUSTOMER)


def test_what_a_reference_says_counts_in_a_comparison() -> None:
    newer = ADDRESS.replace('"string"', '"int"')
    reader, _ = parse(CUSTOMER, [ADDRESS])
    writer, _ = parse(CUSTOMER, [newer])
    assert {each.path for each in problems(reader, writer)} >= {"/fields/0/type/fields/0/type"}
    assert not problems(reader, parse(CUSTOMER, [ADDRESS])[0])


def test_normalized_texts_are_equal_where_only_the_spelling_differs() -> None:
    one = '{"type":"record","name":"a.R","fields":[{"name":"x","type":"int","b":1,"a":2}],"z":1,"y":2}'
    other = '{"y":2,"z":1,"name":"R","namespace":"a","type":"record","fields":[{"a":2,"b":1,"type":"int","name":"x"}]}'
    assert text_of(one) != text_of(other)
    assert text_of(one, normalized=True) == text_of(other, normalized=True)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "nonsense", "12", "null", "string", '"nonsense"', "{}", '{"type": 1}', '{"type": ["int"]}',
        '{"type": "record", "name": "R"}', '{"type": "record", "fields": []}', '{"type": "enum", "name": "E"}',
        '{"type": "fixed", "name": "F", "size": -1}', '{"type": "fixed", "name": "F", "size": true}',
        '{"type": "array"}', '{"type": "map", "items": "int"}', '["int", "int"]', '[["int"], "null"]',
        '{"type": "record", "name": "1R", "fields": []}', '{"type": "record", "name": "R", "fields": [1]}',
        '{"type": "record", "name": "R", "fields": [{"name": "a"}]}',
        '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int", "default": "x"}]}',
        '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]}',
        '{"type": "enum", "name": "E", "symbols": ["A", "A"]}',
        '{"type": "enum", "name": "E", "symbols": ["A"], "default": "B"}',
        '{"type": "record", "name": "int", "fields": []}', "\ud800",
        "[" * 100_000, '{"type":"array","items":' * 5_000 + '"int"' + "}" * 5_000,
    ],
)  # fmt: skip
def test_what_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(InvalidSchema):
        parse(text)


def test_a_type_within_itself_is_compared_once() -> None:
    tree = '{"type":"record","name":"T","fields":[{"name":"next","type":["null","T"]},{"name":"v","type":"%s"}]}'
    reader, writer = parse(tree % "long")[0], parse(tree % "int")[0]
    assert not problems(reader, writer)
    assert [each.path for each in problems(writer, reader)] == ["/fields/1/type"]
