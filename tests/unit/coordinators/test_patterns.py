"""Patterns from clients: RE2's syntax, whole names, and bounded work whatever is sent.

The work of matching is at most the size of RE2's program times the length of the name, so the tests look at that size
rather than at a clock.
"""

import pytest
import re2

from penstock.coordinators.pattern_size import expanded_size
from penstock.coordinators.patterns import EXPANDED_SIZE_MAX, KEPT_MAX, LENGTH_MAX, TopicPattern, compile_pattern
from penstock.errors import InvalidRegularExpression

LONGEST_NAME = 249


@pytest.mark.parametrize(
    ("text", "name", "fits"),
    [
        ("^orders-.*", "orders-eu", True),
        ("^orders", "orders-eu", False),  # a pattern fits the whole name, as in Apache Kafka
        ("orders", "my-orders", False),
        ("^orders|^bills.*", "bills-2", True),
        (r"orders\.(eu|us)", "orders.eu", True),
        (r"orders\.(eu|us)", "orders-eu", False),
        ("(?i)ORDERS", "orders", True),
        ("[[:alpha:]]+", "orders", True),
        (r"\Qa.b\E", "a.b", True),
        (r"\Qa.b\E", "axb", False),
        (r"(?P<region>eu|us)-\d{1,3}", "eu-204", True),
        (r"\pL+", "zürich", True),
        (".*", "", True),
        ("", "", True),
        ("", "orders", False),
    ],
)
def test_a_pattern_fits_a_whole_name(text: str, name: str, *, fits: bool) -> None:
    assert compile_pattern(text).matches(name) is fits


INVALID = ["(", ")", "*", "\\", "[a-", "a**", "a{1001}", "a{3,2}", r"\1", "(?=a)", "(?!a)", "(?<=a)b", "(?>a)", r"\Zx"]


@pytest.mark.parametrize("text", [*INVALID, "[z-a]", "(?z)", r"\p{Klingon}", "[[:nope:]]", "\ud800"])
def test_what_is_not_in_the_syntax_of_re2_is_refused(text: str) -> None:
    with pytest.raises(InvalidRegularExpression, match="is not a valid regular expression"):
        compile_pattern(text)


@pytest.mark.parametrize(
    "text", ["(a+)+$", "(a|aa)+$", "(a|a?)+$", "(.*a){20}", "(?:a?){200}a{200}", "(x+x+)+y", "((a*)*)*b"]
)
def test_a_pattern_that_makes_other_engines_explode_takes_steps_in_proportion_to_the_name(text: str) -> None:
    pattern = compile_pattern(text)
    assert not pattern.matches("a" * (LONGEST_NAME - 1) + "!")
    assert _program_size(text) <= 2 * EXPANDED_SIZE_MAX


@pytest.mark.parametrize(
    "text",
    [
        "((a{0,100}){0,100}){0,100}",
        "(?:a{0,1000}){1000}",
        "((((a{10}){10}){10}){10}){10}",
        "(?:a){0,1000}" * 20,
        r"\pL{1000}",
        r"\pL" * 100,
        r"[\pL\pN]{100}",
        "(?i)" + "k" * 4_000,
        "(?:" * 500 + "a" + "{2})" * 500,
        r"(?:\Q)\E" + "a" * 100 + "){1000}",
        "[]a]{900}" * 2,
        "a{5000}{5000}",
    ],
)
def test_repetitions_that_grow_too_large_are_refused_before_they_are_compiled(text: str) -> None:
    assert len(text) <= LENGTH_MAX
    with pytest.raises(InvalidRegularExpression, match=r"written out its size is \d+, of at most 5000"):
        compile_pattern(text)


def test_a_pattern_of_a_megabyte_is_refused_for_its_length_and_not_repeated_in_the_error() -> None:
    with pytest.raises(InvalidRegularExpression, match="it has 1000000 characters, of at most 4096") as refused:
        compile_pattern("a" * 1_000_000)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "text", ["(" * 4_096, "[" * 4_096, "\\" * 4_095, "[[:" * 1_300, r"\x{" * 1_300, "(?<" * 1_300, "{2}" * 1_300]
)
def test_text_made_to_confuse_the_measuring_is_measured_and_refused(text: str) -> None:
    assert expanded_size(text) > 0
    with pytest.raises(InvalidRegularExpression):
        compile_pattern(text)


def test_a_hundred_patterns_joined_into_one_fit_the_bounds() -> None:
    joined = "|".join(f"^team-{number}\\.orders\\.[a-z]+" for number in range(100))
    pattern = compile_pattern(joined)
    assert pattern.matches("team-99.orders.eu")
    assert not pattern.matches("team-100.orders.eu")


def test_no_more_than_128_compiled_patterns_are_kept() -> None:
    for number in range(KEPT_MAX + 10):
        compile_pattern(f"topic-{number}")
    assert compile_pattern.cache_info().currsize == KEPT_MAX == 128
    assert isinstance(compile_pattern("topic-0"), TopicPattern)


def _program_size(text: str) -> int:
    size: int = re2._re2.RE2(text.encode(), re2.Options()).ProgramSize()
    return size
