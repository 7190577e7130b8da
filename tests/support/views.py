"""What a view should show, worked out the slow way: from opened records and the tree of its filter."""

import re
from typing import Any

from penstock.settings.view_filter import tree
from penstock.wire.records import Record


def shows(node: tree.Node, record: Record) -> bool:
    match node:
        case tree.All(nodes):
            return all(shows(each, record) for each in nodes)
        case tree.Any(nodes):
            return any(shows(each, record) for each in nodes)
        case tree.Not(inner):
            return not shows(inner, record)
        case tree.Exists(tree.Header(name)):
            return any(key == name for key, _ in record.headers)
        case tree.IsNull(tree.Key()):
            return record.key is None
        case tree.IsNull(tree.Value()):
            return record.value is None
        case tree.Compare(operand, sign, literal):
            return _compares(_of(operand, record), sign, literal)
        case tree.In(operand, literals):
            return any(_compares(_of(operand, record), "=", each) for each in literals)
        case tree.Like(operand, pattern):
            value = _of(operand, record)
            parts = (".*" if each == "%" else "." if each == "_" else re.escape(each) for each in pattern)
            return (
                value is not None
                and re.fullmatch("".join(parts), value.decode(errors="surrogateescape"), re.DOTALL) is not None
            )
    raise AssertionError(node)


def _of(operand: tree.Operand, record: Record) -> Any:
    match operand:
        case tree.Size():
            return len(record.key or b"") + len(record.value or b"")
        case tree.Timestamp():
            return record.timestamp
        case tree.Key():
            return record.key
        case tree.Header(name):
            return dict(record.headers).get(name)  # the last of a name


def _compares(value: Any, sign: str, literal: Any) -> bool:
    if isinstance(literal, str):
        literal = literal.encode()
    elif isinstance(value, bytes):
        if not re.fullmatch(rb"[+-]?[0-9]+(\.[0-9]+)?", value):
            return False
        value = float(value) if b"." in value else int(value)
    if value is None:
        return False
    return bool(
        {
            "=": value == literal,
            "!=": value != literal,
            "<": sign == "<" and value < literal,
            "<=": sign == "<=" and value <= literal,
            ">": sign == ">" and value > literal,
            ">=": sign == ">=" and value >= literal,
        }[sign]
    )
