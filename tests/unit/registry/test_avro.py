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


def recursive(length: int) -> str:
    """Records within each other, the last of which has the first again."""
    inner = '"R0"'
    for number in reversed(range(length)):
        inner = f'{{"type":"record","name":"R{number}","fields":[{{"name":"f","type":["null",{inner}]}}]}}'
    return inner


def test_what_would_take_too_long_is_refused() -> None:
    branches = ",".join(f'{{"type":"fixed","name":"F{number}","size":1}}' for number in range(1_000))
    union = parse(f"[{branches}]")[0]
    other = parse("[" + branches.replace('"F', '"G') + "]")[0]
    with pytest.raises(InvalidSchema, match="too long to compare"):
        problems(union, other)


@pytest.mark.parametrize("depth", range(20, 400, 20))
def test_no_depth_is_a_bug(depth: int) -> None:
    nested = "".join(f'{{"type":"record","name":"R{n}","fields":[{{"name":"f","type":' for n in range(depth))
    try:
        schema, _ = parse(nested + '"int"' + "}]}" * depth)
        assert not problems(schema, parse(written(schema))[0])
    except InvalidSchema as error:
        assert depth > 50 and "too deeply" in str(error)


def test_cycles_of_different_lengths_end() -> None:
    reader, writer = parse(recursive(41))[0], parse(recursive(43))[0]
    with pytest.raises(InvalidSchema, match="too deeply"):
        problems(reader, writer)
    assert not problems(parse(recursive(5))[0], parse(recursive(5))[0])


def test_a_default_that_fits_no_branch_is_found_out_soon() -> None:
    def node(name: str, inner: str) -> str:
        return f'{{"type":"record","name":"{name}","fields":[{{"name":"f","type":{inner}}}]}}'

    # Two branches at each of sixty levels, and what is wrong is at the bottom.
    tree = node("A", f'["null",{node("B", """["null","A","B"]""")},"A"]')
    default = "5"
    for _ in range(60):
        default = f'{{"f":{default}}}'
    fields = f'{{"name":"t","type":{tree}}},{{"name":"d","type":"A","default":{default}}}'
    with pytest.raises(InvalidSchema, match="too long to check"):
        parse(f'{{"type":"record","name":"Z","fields":[{fields}]}}')
