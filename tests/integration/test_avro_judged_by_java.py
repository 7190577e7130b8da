"""Pairs of schemas made by chance: what Java's Avro writes, refuses and finds incompatible, we do as well."""

from pathlib import Path

from tests.support.avro_judge import judged
from tests.support.avro_pairs import pairs

from penstock.registry.avro import InvalidSchema, Schema, parse, problems, written

PAIRS = 8_000
COMPARED_MIN = 3_000
"""The others have something that is no schema."""

STRICTER = ("can't redefine", "is no defined name")
"""Java takes a second, equal definition of a name, and a name that is defined later; the specification does neither."""


def parsed(text: str) -> Schema | InvalidSchema:
    try:
        return parse(text)[0]
    except InvalidSchema as error:
        return error


def found_by_us(reader: Schema, writer: Schema) -> str:
    try:
        return " ".join(f"{each.kind}@{each.path}" for each in problems(reader, writer))
    except InvalidSchema:
        return "throws"


def test_java_says_the_same_of_every_pair(tmp_path: Path) -> None:
    asked = pairs(PAIRS, seed=2)
    compared = compatible = stricter = 0
    for (reader_text, writer_text), (text, found) in zip(asked, judged(asked, tmp_path), strict=True):
        reader, writer = parsed(reader_text), parsed(writer_text)
        if any(words in str(each) for each in (reader, writer) for words in STRICTER) and found != "refused":
            stricter += 1
            continue
        assert text == (written(reader) if isinstance(reader, Schema) else "refused"), (reader_text, reader)
        if isinstance(reader, Schema) and isinstance(writer, Schema):
            assert found == found_by_us(reader, writer), (reader_text, writer_text)
            compared += 1
            compatible += not found
        else:
            assert found == "refused", (reader_text, reader, writer_text, writer)
    assert compared >= COMPARED_MIN
    assert compared // 5 < compatible < compared * 4 // 5, "both kinds of answers are to be tried"
    assert stricter < PAIRS // 500


def test_java_reads_what_we_write_and_writes_it_again(tmp_path: Path) -> None:
    schemas = [each for pair in pairs(1_000, seed=5) for text in pair if isinstance(each := parsed(text), Schema)]
    texts = [(written(each), written(each, normalized=True)) for each in schemas]
    for schema, (own, _), (again, found) in zip(schemas, texts, judged(texts, tmp_path), strict=True):
        assert again == own
        assert found in {"", "throws"}, f"its normalized text reads what it wrote: {own}"
        assert written(parse(written(schema, normalized=True))[0], normalized=True) == written(schema, normalized=True)
