"""The language of views' filters: what it reads, and how it says what it cannot read."""

import pytest

from penstock.errors import InvalidConfig
from penstock.settings import Config
from penstock.settings.topic import PENSTOCK_VIEW_FILTER
from penstock.settings.validation import check_topic
from penstock.settings.view_filter import tree
from penstock.settings.view_filter.parsing import CHARACTERS_MAX, DEPTH_MAX, TESTS_MAX, parse
from penstock.settings.view_filter.words import FilterError

REGION = tree.Header("region")
EU = tree.Compare(REGION, "=", "eu")
NO_KEY = tree.IsNull(tree.Key())
SMALL = tree.Compare(tree.Size(), "<", 10_000)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("header.region = 'eu'", EU),
        ("HEADER.region='eu'", EU),
        ("header.'region' = 'eu'", EU),
        ("header.region <> 'eu'", tree.Compare(REGION, "!=", "eu")),
        ("header.region = 'it''s'", tree.Compare(REGION, "=", "it's")),
        ("header.region = 'eu' and size < 10000", tree.All((EU, SMALL))),
        ("header.region = 'eu' or size < 10000 and key is null", tree.Any((EU, tree.All((SMALL, NO_KEY))))),
        ("(header.region = 'eu' or size < 10000) and key is null", tree.All((tree.Any((EU, SMALL)), NO_KEY))),
        ("not header.region = 'eu'", tree.Not(EU)),
        ("not not exists header.region", tree.Not(tree.Not(tree.Exists(REGION)))),
        ("value is not null", tree.Not(tree.IsNull(tree.Value()))),
        ("key in ('a', 'b')", tree.In(tree.Key(), ("a", "b"))),
        ("key not in (1, -2.5)", tree.Not(tree.In(tree.Key(), (1, -2.5)))),
        ("header.x-y_z like 'a%_'", tree.Like(tree.Header("x-y_z"), "a%_")),
        ("timestamp >= 1700000000000", tree.Compare(tree.Timestamp(), ">=", 1_700_000_000_000)),
        ("timestamp >= '2023-11-14T22:13:20Z'", tree.Compare(tree.Timestamp(), ">=", 1_700_000_000_000)),
        ("timestamp >= '2023-11-14T23:13:20+01:00'", tree.Compare(tree.Timestamp(), ">=", 1_700_000_000_000)),
        ("timestamp >= '2023-11-14 22:13:20'", tree.Compare(tree.Timestamp(), ">=", 1_700_000_000_000)),
        ("", tree.EVERYTHING),
        (" \n ", tree.EVERYTHING),
    ],
)  # fmt: skip
def test_a_filter_is_read_as_what_it_says(text: str, node: tree.Node) -> None:
    assert parse(text) == node


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("header.region == 'eu'", 16, "a number or a text in single quotes is expected instead of ="),
        ("header.region = 'eu", 17, "a text that does not end"),
        ("header.region = eu", 17, "in single quotes is expected instead of eu"),
        ("header = 'eu'", 8, "a dot and the header's name"),
        ("header.", 8, "a header's name is expected instead of the end"),
        ("region = 'eu'", 1, "header.<name>, key, value, size or timestamp is expected instead of region"),
        ("size = 'eu'", 8, "a size is a number"),
        ("timestamp > 'soon'", 13, "is no time"),
        ("value = 'x'", 7, "of a value only is null"),
        ("header.a is null", 1, "of a header ask exists"),
        ("size like 'a'", 1, "like is for headers and keys"),
        ("key like 5", 10, "a pattern in single quotes"),
        ("key not = 'a'", 9, "in or like is expected instead of ="),
        ("key in ()", 9, "in single quotes is expected instead of )"),
        ("key in ('a'", 12, "a comma or a closing bracket is expected instead of the end"),
        ("(size < 1", 10, "a closing bracket"),
        ("size < 1)", 9, ") does not follow"),
        ("size < 1 size < 2", 10, "use and, or"),
        ("size < 1 and", 13, "instead of the end"),
        ("size < 1; drop", 9, "';' means nothing here"),
        ("key = 'a' or \N{SECTION SIGN}", 14, "means nothing here"),
        ("exists key", 8, "header.<name> is expected instead of key"),
    ],
)
def test_what_is_wrong_is_said_with_its_position(text: str, position: int, words: str) -> None:
    with pytest.raises(FilterError, match=f"position {position}: ") as wrong:
        parse(text)
    assert words in str(wrong.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(" * 2_000, f"{DEPTH_MAX} deep"),
        ("not " * 499 + "key", f"{DEPTH_MAX} deep"),
        (" or ".join(["size<1"] * (TESTS_MAX + 1)), f"{TESTS_MAX} tests"),
        ("key = '" + "a" * CHARACTERS_MAX + "'", f"{CHARACTERS_MAX} characters"),
        ("key like '" + "%_" * 20 + "'", "16 of % and _"),
        ("'" * 1_999, "does not end"),
        ("-" * 2_000, "'-' means nothing here"),
        ("size < " + "9" * 1_900, "does not follow"),
    ],
)
def test_a_filter_built_to_explode_is_refused_and_bounded(text: str, words: str) -> None:
    with pytest.raises(FilterError) as wrong:
        parse(text)
    assert words in str(wrong.value) and len(str(wrong.value)) < 200


def test_the_largest_filter_that_is_taken_is_as_deep_and_long_as_its_bounds() -> None:
    tests = " or ".join(["size<1"] * TESTS_MAX)
    assert isinstance(parse("(" * DEPTH_MAX + tests + ")" * DEPTH_MAX), tree.Any)


def test_a_setting_says_what_is_wrong_with_its_filter() -> None:
    wrong = {PENSTOCK_VIEW_FILTER.name: "size <"}
    with pytest.raises(InvalidConfig, match=r"penstock.view.filter.*position 7: a number"):
        check_topic(wrong, Config.for_broker())
