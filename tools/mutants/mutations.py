"""Which one-line mutants a module has: a comparison turned, a condition dropped, a statement left out.

A mutant is known by where it is and what it does, not by its line number: `path::function::what::sum`. So a list of
known survivors stays right while the code around them changes, and a choice by that name is the same on every machine.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

COMPARED: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
SUMS: Final[dict[type[ast.operator], tuple[str, str]]] = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
EXTREMES: Final = {"min": "max", "max": "min"}
LOGGERS: Final = ("_log", "log_")
"""What is told to people is not what is decided."""


class Mutant(NamedTuple):
    name: str
    path: Path
    line: int
    start: int
    end: int
    """Where in the module's bytes."""
    was: str
    becomes: str

    def applied_to(self, source: bytes) -> bytes:
        return source[: self.start] + self.becomes.encode() + source[self.end :]


class _Change(NamedTuple):
    line: int
    what: str
    start: int
    end: int
    becomes: str


def mutants_of(path: Path, source: bytes, *, root: Path = Path()) -> list[Mutant]:
    """All of them, in the order of the text."""
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found, seen = [], Counter[str]()
    for function, change in _changes(ast.parse(source), _Text(source, lines)):
        was = source[change.start : change.end].decode()
        around = source[lines[change.line - 1] : lines[change.line]].decode().strip()
        key = f"{path.relative_to(root)}::{function}::{change.what}::{_sum(around)}"
        seen[key] += 1
        name = key if seen[key] == 1 else f"{key}.{seen[key]}"
        found.append(Mutant(name, path, change.line, change.start, change.end, was, change.becomes))
    return found


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _changes(tree: ast.Module, text: "_Text") -> Iterator[tuple[str, _Change]]:
    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, _Change]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in ("__repr__", "__str__"):
                return
            function = f"{function}.{node.name}" if function else node.name
            for statement in node.body:
                yield from walk(statement, function)
            return
        if isinstance(node, ast.If) and _names_type_checking(node.test):
            return
        if _is_logging(node):
            return
        if function:
            for change in _of_node(node, text):
                yield function, change
        for child in ast.iter_child_nodes(node):
            if isinstance(node, ast.AnnAssign) and child is node.annotation:
                continue
            yield from walk(child, function)

    yield from walk(tree, "")


def _names_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _is_logging(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in LOGGERS
    ) or (isinstance(node, ast.Expr) and _is_logging(node.value))


class _Text(NamedTuple):
    """A module's bytes, found by what the parser says of lines and columns."""

    source: bytes
    lines: list[int]

    def whole(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.lines[node.lineno - 1] + node.col_offset, self.lines[node.end_lineno - 1] + node.end_col_offset

    def operator(self, left: ast.expr, right: ast.expr, was: str, becomes: str) -> Iterator[_Change]:
        """Nothing where it is hidden by brackets or the end of a line."""
        start, end = self.whole(left)[1], self.whole(right)[0]
        found = self.source[start:end].find(f" {was} ".encode())
        if found >= 0:
            start += found + 1
            yield _Change(left.lineno, f"{was} to {becomes}", start, start + len(was), becomes)


def _of_node(node: ast.AST, text: _Text) -> Iterator[_Change]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield from text.operator(left, right, *COMPARED[type(operator)])
        case ast.BoolOp(op=ast.And(), values=[left, right, *_]):
            yield from text.operator(left, right, "and", "or")
        case ast.BoolOp(op=ast.Or(), values=[left, right, *_]):
            yield from text.operator(left, right, "or", "and")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _Change(node.lineno, "not dropped", text.whole(node)[0], text.whole(operand)[0], "")
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
            if not _is_text(left) and not _is_text(right):
                yield from text.operator(left, right, *SUMS[type(sign)])
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            start = text.whole(node)[0]
            yield _Change(node.lineno, f"{name} to {EXTREMES[name]}", start, start + 3, EXTREMES[name])
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            pass  # mypy is who notices that
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.AugAssign() | ast.Assign(targets=[ast.Attribute()]):
            yield _Change(node.lineno, "left out", *text.whole(node), "pass")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
