"""A message read and written by its table is what straight-line functions make of it, refusals included."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.wire_values import MESSAGES, class_of, full_values, layouts_of, said_at
from tools.wire.module import codec_text

from penstock.wire import Malformed, Unencodable
from penstock.wire.primitives import Codec

QUICK = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
NOT_BY_TABLE = {"RequestHeader"}  # its client id is never compact
TABLED = sorted(MESSAGES.keys() - NOT_BY_TABLE)
LIES = (
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xfe",
    b"\x80",
    b"\x00",
    b"\x01",
    b"\x05",
)


def made_by(name: str, *, unrolled_since: int | None) -> Any:
    """The message's class with functions of one kind for all versions, whichever are committed."""
    functions: dict[str, Any] = {}
    exec(codec_text(MESSAGES[name], unrolled_since=unrolled_since), functions)
    committed = class_of(name)
    codec = Codec("", committed.codec.keep)
    codec.decoders, codec.encoders = functions["DECODERS"], functions["ENCODERS"]
    return type(name, (committed,), {"codec": codec}, gc=False)


def encoded(kind: Any, value: Any, version: int) -> bytes | None:
    try:
        result: bytes = kind.encode(kind(*(getattr(value, name) for name in value.__struct_fields__)), version)
    except Unencodable:
        return None
    return result


def decoded(kind: Any, data: bytes, version: int) -> Any:
    """Its fields, or what is wrong with it."""
    try:
        value = kind.decode(data, version)
    except Malformed as error:
        return str(error)
    return [getattr(value, name) for name in value.__struct_fields__]


@pytest.mark.parametrize("name", TABLED)
def test_both_kinds_agree(name: str) -> None:
    straight, by_table = made_by(name, unrolled_since=0), made_by(name, unrolled_since=None)

    @QUICK
    @given(full_values(name), st.data())
    def agree(full: Any, data: st.DataObject) -> None:
        for version, layout in layouts_of(name).items():
            assert encoded(by_table, full, version) == encoded(straight, full, version)
            good = encoded(straight, said_at(full, layout), version)
            assert good is not None
            assert encoded(by_table, said_at(full, layout), version) == good
            at, lie = data.draw(st.integers(0, len(good))), data.draw(st.sampled_from(LIES))
            for piece in (good, good[:at], good[:at] + lie + good[at:], good[:at] + lie + good[at + len(lie) :]):
                assert decoded(by_table, piece, version) == decoded(straight, piece, version)

    agree()
