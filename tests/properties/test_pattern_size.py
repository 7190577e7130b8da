"""The measured size of a pattern is no smaller than what RE2 makes of it, whatever the pattern is built of."""

import re2
from hypothesis import given
from hypothesis import strategies as st

from penstock.coordinators.pattern_size import expanded_size
from penstock.coordinators.patterns import EXPANDED_SIZE_MAX, LENGTH_MAX, compile_pattern
from penstock.errors import InvalidRegularExpression

ATOMS = [
    r"a",
    r"z",
    r"é",
    r"漢",
    r".",
    r"\.",
    r"\d",
    r"\W",
    r"\b",
    r"^",
    r"$",
    r"[a-z]",
    r"[^x]",
    r"[]a]",
    r"[^]a]",
    r"[[:alpha:]]",
    r"[a[:^digit:]]",
    r"\x{100}",
    r"[\x{100}-\x{10ffff}]",
    r"\pL",
    r"(?i)",
    r"(?i:k)",
    r"(?s)",
    r"(?U)",
    r"\Qa){3\E",
    r"\Q[\E",
    r"{",
    r"}",
    r"a{,3}",
]
REPEATS = ["*", "+", "?", "*?", "??", "{2}", "{0,3}", "{7}", "{2,}", "{100}", "{0,200}", "{1000}"]

_options = re2.Options()
_options.log_errors = False
_options.max_mem = 64 * 1024 * 1024


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(parts, min_size=1, max_size=4).map("".join),
        st.tuples(parts, parts).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(st.sampled_from(["(", "(?:", "(?P<n>", "(?i:"]), parts, st.sampled_from(REPEATS)).map(
            lambda part: f"{part[0]}{part[1]}){part[2]}"
        ),
        st.tuples(parts, st.integers(2, 9)).map(lambda part: part[0] * part[1]),
    )


patterns = st.recursive(st.sampled_from(ATOMS), _larger, max_leaves=12)


@given(text=patterns)
def test_no_pattern_is_measured_smaller_than_its_program(text: str) -> None:
    size = expanded_size(text)
    if size > 20_000:  # compiling it is what the measuring saves us
        return
    try:
        program = re2._re2.RE2(text.encode(), _options)
    except re2.error:
        return
    if program.ok():
        assert program.ProgramSize() <= 2 * size + 10


@given(text=st.text() | patterns)
def test_any_text_is_compiled_or_refused_by_name(text: str) -> None:
    try:
        compile_pattern(text).matches("orders")
    except InvalidRegularExpression:
        return
    assert len(text) <= LENGTH_MAX
    assert expanded_size(text) <= EXPANDED_SIZE_MAX
