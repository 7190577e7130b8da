"""One-line mutants: which there are, what they are called, and that the list of survivors is kept up."""

import ast
from pathlib import Path

import pytest
from tools.mutants.__main__ import AREAS, NEAREST_MAX, all_mutants, chosen, nearest, reasons
from tools.mutants.mutations import mutants_of

HERE = Path("module.py")


def mutated(source: str) -> list[str]:
    text = source.encode()
    return [mutant.applied_to(text).decode() for mutant in mutants_of(HERE, text)]


@pytest.mark.parametrize(
    ("body", "becomes"),
    [
        ("return a < b", "return a <= b"),
        ("return a is not None", "return a is None"),
        ("return a in b", "return a not in b"),
        ("return a and b", "return a or b"),
        ("return not a", "return a"),
        ("return a + 1", "return a - 1"),
        ("return min(a, b)", "return max(a, b)"),
        ("a.append(b)", "pass"),
        ("a.end = b", "pass"),
        ("a += b", "pass"),
        ("raise ValueError(a)", "pass"),
    ],
)
def test_a_line_has_this_mutant(body: str, becomes: str) -> None:
    assert f"def f(a, b):\n    {becomes}\n" in mutated(f"def f(a, b):\n    {body}\n")


@pytest.mark.parametrize(
    "source",
    [
        "x = 1 < 2\n",  # of no function
        "def f(a):\n    _log.info('told', a=a + 1)\n",
        "def f(a):\n    return 'a' + a\n",
        "def f(a):\n    b: int | None = a\n",
        "def f(a):\n    assert_never(a)\n",
        "def __repr__(a):\n    return a + 1\n",
    ],
)
def test_what_decides_nothing_has_none(source: str) -> None:
    assert mutated(source) == []


def test_a_mutant_keeps_its_name_when_lines_come_before_it() -> None:
    source = b"def f(a, b):\n    return a < b\n"
    moved = b"import os\n\n\n" + source
    assert [each.name for each in mutants_of(HERE, source)] == [each.name for each in mutants_of(HERE, moved)]


def test_two_mutants_of_one_line_have_two_names() -> None:
    names = [each.name for each in mutants_of(HERE, b"def f(a, b):\n    return a < b < 1 or a < b or b < a\n")]
    assert len(names) == len(set(names)) > 1


def test_every_mutant_of_the_code_can_be_parsed_and_has_a_name_of_its_own() -> None:
    everywhere = [mutant for area in AREAS for mutant in all_mutants(area)]
    assert len({mutant.name for mutant in everywhere}) == len(everywhere)
    for _, mutant in chosen(80):
        ast.parse(mutant.applied_to(mutant.path.read_bytes()))


def test_each_survivor_that_is_listed_is_still_a_mutant() -> None:
    names = {mutant.name for area in AREAS for mutant in all_mutants(area)}
    assert set(reasons()) <= names, "the code has changed: take these out of survivors.toml"
    assert all(reason.strip() for reason in reasons().values())


def test_the_tests_that_name_what_is_mutated_run_before_all_others() -> None:
    (log,) = (area for area in AREAS if area.name == "log")
    mutant = next(each for each in all_mutants(log) if "cut_notes" in each.name)
    files = nearest(log, mutant)
    assert files[0] == "tests/unit/log/test_cut_notes.py" and len(files) <= NEAREST_MAX
