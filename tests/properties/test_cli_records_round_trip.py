"""What consume prints as JSON, produce takes back as the same record."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.cli.records import ParsedRecord, PrintedRecord, json_line, parse_json

_maybe_bytes = st.none() | st.binary(max_size=50) | st.text(max_size=20).map(str.encode)
_headers = st.lists(st.tuples(st.text(max_size=10), _maybe_bytes), max_size=4).map(tuple)


@given(key=_maybe_bytes, value=_maybe_bytes, headers=_headers, timestamp_ms=st.integers(0, 2**53))
def test_json_output_is_json_input_without_loss(
    key: bytes | None, value: bytes | None, headers: tuple[tuple[str, bytes | None], ...], timestamp_ms: int
) -> None:
    printed = PrintedRecord("t", 3, 9, timestamp_ms, "create", key, value, headers)
    assert parse_json(json_line(printed)) == ParsedRecord(value, key, headers, timestamp_ms, partition=3)
