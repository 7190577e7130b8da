"""House bans. A test that fails here says where, and what to do instead."""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "penstock"
LINES_MAX = 600
"""Twice what a file should have. A machine that outgrows a sitting is split by role or phase, never by helper."""
LONG_FOR_A_REASON = {
    "errors.py": "a table of one class a Kafka error code",
}
REALLY_RANDOM = {
    "access/sealing.py": "secrets are sealed for good, whoever simulates what",
    "log/folders/identity.py": "a data folder's id must be unlike every other in the world, in a simulation too",
}
LOGGERS = ("_log", "math")
BOUNDED_OTHERWISE = {
    "replication/replica_logs.py": "one entry a change of the cluster image, which the controller paces",
}


class Module(NamedTuple):
    path: Path
    tree: ast.Module

    @property
    def name(self) -> str:
        return self.path.relative_to(SOURCE).as_posix()

    def is_in(self, *places: str) -> bool:
        return self.name.startswith(places)


@cache
def modules() -> tuple[Module, ...]:
    made = re.compile("wire/(messages|codecs)/")
    written_by_hand = (path for path in SOURCE.rglob("*.py") if not made.search(path.as_posix()))
    return tuple(Module(path, ast.parse(path.read_text())) for path in sorted(written_by_hand))


def calls(module: Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            yield ast.unparse(node.func), node


def found(look: Callable[[Module], Iterator[ast.AST]], *, outside: tuple[str, ...] = ()) -> list[str]:
    return [
        f"{module.name}:{getattr(node, 'lineno', 1)}"
        for module in modules()
        if not (outside and module.is_in(*outside))
        for node in look(module)
    ]


def calling(*names: str) -> Callable[[Module], Iterator[ast.AST]]:
    return lambda module: (call for name, call in calls(module) if name in names)


def refuse(places: list[str], remedy: str) -> None:
    assert not places, f"{remedy}\n  " + "\n  ".join(places)


def test_only_the_clock_looks_at_the_clock() -> None:
    looks = calling("time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today")
    refuse(
        found(looks, outside=("broker/clock.py", "client/clock.py", "cli/", "testing/")),
        "ask the Clock you were given (penstock.model.Clock): tests and simulations turn it",
    )


def test_only_the_dice_are_thrown() -> None:
    throws = calling("os.urandom", "uuid.uuid4", "random.random", "random.uniform", "random.randint", "random.choice")
    refuse(
        found(throws, outside=("broker/clock.py", "client/clock.py", "cli/", "testing/", *REALLY_RANDOM)),
        "throw the Dice you were given (penstock.model.Dice): simulations load them",
    )


def test_a_task_has_a_parent() -> None:
    def abandoned(module: Module) -> Iterator[ast.AST]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                name = ast.unparse(node.value.func)
                if name in ("asyncio.create_task", "asyncio.ensure_future") or name.endswith("loop.create_task"):
                    yield node

    refuse(
        found(abandoned),
        "nobody sees this task fail: start it in a TaskGroup, or keep it and await it where it is stopped",
    )


def test_only_the_command_line_prints() -> None:
    refuse(
        found(calling("print"), outside=("cli/",)),
        'write an event with fields: _log.info("topic created", topic=name)',
    )


def test_log_lines_are_events_with_fields() -> None:
    levels = {f"_log.{level}" for level in ("debug", "info", "warning", "error", "exception", "critical")}

    def interpolated(module: Module) -> Iterator[ast.AST]:
        for name, call in calls(module):
            if name in levels and call.args and not isinstance(call.args[0], ast.Constant):
                yield call

    refuse(found(interpolated), "name the event in fixed words and give the particulars as fields")


def test_no_exception_is_swallowed_unseen() -> None:
    def bare(module: Module) -> Iterator[ast.AST]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                yield node

    refuse(found(bare), "say what is expected to go wrong: `except OSError:`; a bare except also catches cancellation")


def test_queues_have_a_bound() -> None:
    def unbounded(module: Module) -> Iterator[ast.AST]:
        for name, call in calls(module):
            if name in ("asyncio.Queue", "queue.Queue") and not (call.args or call.keywords):
                yield call

    refuse(
        found(unbounded, outside=tuple(BOUNDED_OTHERWISE)),
        "give the queue a maxsize from a setting, and say what happens when it is full",
    )


def test_whoever_uses_a_partition_asks_it_and_not_its_log() -> None:
    def reaching_through(module: Module) -> Iterator[ast.AST]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and node.attr == "log" and ast.unparse(node.value) not in LOGGERS:
                yield node

    below = ("model/", "wire/", "log/", "cluster/", "metastore/", "replication/")
    places = found(reaching_through, outside=below)
    refuse(places, "Ask the partition, or its reader: a log is an affair of replication.")


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        module.name
        for module in modules()
        if module.tree.body and ast.get_docstring(module.tree) is None and module.path.name != "__main__.py"
    ]
    refuse(silent, "begin the file with a docstring: what it is for, in a sentence or two")


def test_no_file_has_grown_beyond_a_sitting() -> None:
    lengths = {module.name: len(module.path.read_text().splitlines()) for module in modules()}
    long = {name: lines for name, lines in lengths.items() if lines > LINES_MAX}
    refuse(
        [f"{name}: {lines} lines" for name, lines in long.items() if name not in LONG_FOR_A_REASON],
        f"split by role or phase; {LINES_MAX} lines is the most",
    )
    stale = [name for name in LONG_FOR_A_REASON if name not in long]
    refuse(stale, "no longer long: take it off LONG_FOR_A_REASON")


def test_exceptions_are_about_files_that_exist() -> None:
    names = {module.name for module in modules()}
    gone = [name for name in (*LONG_FOR_A_REASON, *REALLY_RANDOM, *BOUNDED_OTHERWISE) if name not in names]
    refuse(gone, "take the exception away with the file")


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
def test_nothing_is_left_to_do_on_main(word: str) -> None:
    listed = subprocess.run(
        [
            "git",
            "grep",
            "-nIwE",
            f"(#|//|<!--).*{word}",
            "--",
            "src",
            "simulation",
            "tests",
            "tools",
            "benchmarks",
            "docs",
            "*.md",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode not in (0, 1):
        pytest.skip("not a git checkout")
    refuse(listed.stdout.splitlines(), "do it, or write an issue and take the note away")


def test_lock_files_name_no_index() -> None:
    named = [
        f"{lock.name}: {line}"
        for lock in (ROOT / "requirements").glob("*.lock")
        for line in lock.read_text().splitlines()
        if re.search(r"--(extra-)?index-url|--trusted-host|https?://", line)
    ]
    refuse(named, "resolve with --no-header --no-emit-index-url: a lock must work with any index")


def test_every_decision_has_a_number_of_its_own() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs" / "adr").glob("[0-9]*.md")]
    assert sorted(numbers) == sorted(set(numbers))
