"""Lines and JSON to records, and records back to lines and JSON."""

import os

import pytest

from penstock.cli.records import (
    LineFormat,
    ParsedRecord,
    PrintedRecord,
    Unparsable,
    json_line,
    make_printer,
    parse_json,
    parse_line,
    unescape,
)

A_RECORD = PrintedRecord(
    topic="orders",
    partition=2,
    offset=17,
    timestamp_ms=1_700_000_000_123,
    timestamp_type="create",
    key=b"k1",
    value=b"v1",
    headers=(("trace", b"abc"), ("empty", None)),
)


def test_a_line_without_separators_is_a_value() -> None:
    assert parse_line(b"a:b", LineFormat()) == ParsedRecord(value=b"a:b")


def test_the_key_ends_at_its_first_separator() -> None:
    assert parse_line(b"k:v:w", LineFormat(key_separator=b":")) == ParsedRecord(key=b"k", value=b"v:w")


def test_headers_come_before_key_and_value() -> None:
    form = LineFormat(key_separator=b"\t", header_separator=b"|")
    assert parse_line(b"a=1,b=2|k\tv", form) == ParsedRecord(key=b"k", value=b"v", headers=(("a", b"1"), ("b", b"2")))


def test_the_null_marker_makes_a_tombstone() -> None:
    form = LineFormat(key_separator=b":", null_marker=b"NULL")
    assert parse_line(b"k:NULL", form) == ParsedRecord(key=b"k", value=None)


@pytest.mark.parametrize(
    ("line", "form", "complaint"),
    [
        (b"no key", LineFormat(key_separator=b":"), "no key separator"),
        (b"no header", LineFormat(header_separator=b"|"), "no header separator"),
        (b"novalue|v", LineFormat(header_separator=b"|"), "not name=value"),
        (b"\xff=1|v", LineFormat(header_separator=b"|"), "must be UTF-8"),
    ],
)
def test_a_line_that_is_no_record_says_why(line: bytes, form: LineFormat, complaint: str) -> None:
    with pytest.raises(Unparsable, match=complaint):
        parse_line(line, form)


def test_separators_may_be_written_with_escapes() -> None:
    assert (unescape(r"\t"), unescape(r"\x1f"), unescape("→"), unescape(r"→\n")) == (
        b"\t",
        b"\x1f",
        "→".encode(),
        "→\n".encode(),
    )


def test_json_values_that_are_no_strings_are_kept_as_json_text() -> None:
    assert parse_json(b'{"key": 7, "value": {"b": [1, 2]}}') == ParsedRecord(key=b"7", value=b'{"b":[1,2]}')


def test_json_headers_may_be_an_object() -> None:
    assert parse_json(b'{"headers": {"a": "1"}}') == ParsedRecord(value=None, headers=(("a", b"1"),))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{", "not JSON"),
        (b"[1]", "a record is a JSON object"),
        (b'{"vale": 1}', "unknown field vale"),
        (b'{"value_base64": "!"}', "not base64"),
        (b'{"timestamp": "now"}', "whole number"),
        (b'{"headers": 3}', "headers are"),
        (b'{"value": "\\ud800"}', "surrogate"),
    ],
)
def test_json_that_is_no_record_says_why(line: bytes, complaint: str) -> None:
    with pytest.raises(Unparsable, match=complaint):
        parse_json(line)


def test_json_names_every_part_of_a_record() -> None:
    assert json_line(A_RECORD) == (
        b'{"topic":"orders","partition":2,"offset":17,"timestamp":1700000000123,"timestamp_type":"create",'
        b'"key":"k1","value":"v1","headers":[{"name":"trace","value":"abc"},{"name":"empty","value":null}]}\n'
    )


def test_a_template_prints_the_fields_it_names() -> None:
    printer = make_printer(b"{topic}[{partition}]@{offset} {timestamp} {key}={value} ({headers})\n")
    assert printer(A_RECORD) == b"orders[2]@17 2023-11-14T22:13:20.123Z k1=v1 (trace=abc,empty=null)\n"


def test_braces_are_printed_where_they_are_doubled() -> None:
    assert make_printer(b'{{"k": "{key}"}}')(A_RECORD) == b'{"k": "k1"}'
    assert make_printer(b"{{{key}}}")(A_RECORD) == b"{k1}"


def test_an_unknown_field_in_a_template_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no field {vlaue}.*known are topic, partition"):
        make_printer(b"{vlaue}")


@pytest.mark.parametrize("template", [b"{value", b"value}", b"{key}={value\n", b"{}", b"{ value }", b'{"k": "{key}"}'])
def test_a_brace_that_is_no_field_is_refused(template: bytes) -> None:
    with pytest.raises(ValueError, match="a brace is not one of a field"):
        make_printer(template)


def test_a_terminal_gets_no_control_characters_from_records() -> None:
    record = PrintedRecord("t", 0, 0, None, None, None, b"\x1b[2Jboo\ttab", (("\x07", b"\x9b"),))
    assert make_printer(b"{value}", for_terminal=True)(record) == rb"\x1b[2Jboo" + b"\ttab"
    assert make_printer(b"{headers}", for_terminal=True)(record) == rb"\x07=\x9b"


EVERY_BYTE = bytes(range(256))


def test_whoever_is_no_terminal_gets_the_bytes_that_were_written() -> None:
    record = PrintedRecord("t", 0, 0, None, None, EVERY_BYTE, EVERY_BYTE, (("h", EVERY_BYTE),))
    printed = make_printer(b"{value}\xff{key}|{headers}")(record)
    assert printed == EVERY_BYTE + b"\xff" + EVERY_BYTE + b"|h=" + EVERY_BYTE


def test_a_terminal_is_shown_bytes_that_are_no_text_escaped() -> None:
    record = PrintedRecord("t", 0, 0, None, None, None, b"\xff\x00ok\xc3\xa9")
    printer = make_printer(b"{value}|{timestamp}|{key}", for_terminal=True)
    assert printer(record) == rb"\xff\x00ok" + b"\xc3\xa9|-|null"


def test_bytes_of_the_command_line_that_are_no_text_stay() -> None:
    typed = os.fsdecode(b"\xff|")
    assert unescape(typed) == b"\xff|"
    assert unescape(typed + r"\t") == b"\xff|\t"


def test_a_missing_separator_is_shown_as_it_was_typed() -> None:
    with pytest.raises(Unparsable, match="no key separator ':' in the line"):
        parse_line(b"no key", LineFormat(key_separator=b":"))
