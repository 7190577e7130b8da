"""What decides is pure: pyproject.toml lists the modules, and import-linter holds them to it."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
CONTRACT = "What decides is pure"
MODULES_MIN = 315
"""Without Kafka's messages and their codecs, which are generated."""

MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (SOURCE / "penstock").rglob("*.py")
}


def declared() -> list[str]:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = [each for each in linter["contracts"] if each["name"] == CONTRACT]
    return list(contract["source_modules"])


def covered_by(entry: str) -> set[str]:
    if "**" in entry:
        pattern = re.compile(re.escape(entry).replace(re.escape("**"), ".+"))
        return {module for module in MODULES if pattern.fullmatch(module)}
    return {module for module in MODULES if module == entry or module.startswith(f"{entry}.")}


def covered() -> set[str]:
    return {module for entry in declared() for module in covered_by(entry)}


def test_every_module_that_is_declared_pure_exists() -> None:
    gone = [entry for entry in declared() if not covered_by(entry)]
    assert not gone, f"pyproject.toml declares these pure, but they are not there (moved?): {gone}"


def test_none_is_declared_twice() -> None:
    entries = declared()
    twice = [entry for entry in entries for other in entries if entry != other and entry in covered_by(other)]
    assert not twice and len(set(entries)) == len(entries), f"a package stands for all that is in it: {twice}"


def test_as_many_modules_are_held_to_it_as_there_were() -> None:
    by_hand = {module for module in covered() if not module.startswith(("penstock.wire.codecs", "penstock.wire.mess"))}
    assert len(by_hand) >= MODULES_MIN, f"{len(by_hand)} modules are declared pure"


def test_whoever_says_that_it_is_pure_is_held_to_it() -> None:
    saying = {module for module, path in MODULES.items() if _says_so(path)}
    assert not saying - covered(), f"declare these in pyproject.toml, or do not call them pure: {saying - covered()}"


def _says_so(path: Path) -> bool:
    first = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")[0]
    return re.search(r"(: pure\b|\bPure\b)", first) is not None
