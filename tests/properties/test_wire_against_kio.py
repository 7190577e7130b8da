"""Every message at every version against kio, which reads and writes the same protocol with other code."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import kio_oracle
from tests.support.wire_values import MESSAGES, class_of, full_values, layouts_of, said_at
from tools.wire.left_out import LEFT_OUT

THOROUGH = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


SHARED = [name for name in kio_oracle.message_names() if name in MESSAGES]


def test_kio_has_no_message_and_no_version_that_we_lack_but_for_those_left_out() -> None:
    ours = {(name, version) for name, message in MESSAGES.items() for version in message.versions}
    theirs = {(name, version) for name in kio_oracle.message_names() for version in kio_oracle.versions_of(name)}
    assert len(kio_oracle.message_names()) == 190
    assert {name for name, _ in theirs - ours} == LEFT_OUT & set(kio_oracle.message_names())
    assert LEFT_OUT & MESSAGES.keys() == set()
    assert len(SHARED) == 154


@pytest.mark.parametrize("name", SHARED)
def test_both_read_what_the_other_writes(name: str) -> None:
    @THOROUGH
    @given(full_values(name, kio_oracle.narrowed(name)))
    def agree(full: Any) -> None:
        for version in kio_oracle.versions_of(name):
            _agree_at(name, version, full)

    agree()


def _agree_at(name: str, version: int, full: Any) -> None:
    layout = layouts_of(name)[version]
    value = said_at(full, layout)
    encoded = value.encode(version)
    theirs, read = kio_oracle.parse(kio_oracle.class_of(name, version), encoded)
    assert read == len(encoded)
    assert kio_oracle.in_our_terms(name, layout, theirs) == kio_oracle.ours_as_plain_fields(value, layout)
    serialised = kio_oracle.serialise(theirs)
    decoded = class_of(name).decode(serialised, version)
    assert decoded == value
    assert decoded.encode(version) == serialised


@pytest.mark.parametrize("name", sorted(set(MESSAGES) - set(SHARED)))
def test_what_kio_lacks_comes_back_as_it_went(name: str) -> None:
    @THOROUGH
    @given(full_values(name), st.booleans())
    def returns(full: Any, through_view: bool) -> None:
        for version, layout in layouts_of(name).items():
            value = said_at(full, layout)
            encoded = value.encode(version)
            decoded = class_of(name).decode(memoryview(encoded) if through_view else encoded, version)
            assert decoded == value
            assert decoded.encode(version) == encoded

    returns()
