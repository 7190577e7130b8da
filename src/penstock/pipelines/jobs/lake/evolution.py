"""How a table's columns may follow its data: pure.

Columns are added and widened as Iceberg can without touching a file: INT to BIGINT, FLOAT to DOUBLE, a DECIMAL with
more digits before the point. Any other change of type leaves the column as it is; the rows that do not fit it are bad
rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import types as t


@dataclass(frozen=True, slots=True)
class AddColumn:
    path: tuple[str, ...]
    kind: t.DataType


@dataclass(frozen=True, slots=True)
class WidenColumn:
    path: tuple[str, ...]
    kind: t.DataType


Change = AddColumn | WidenColumn


def changes(table: t.StructType, wanted: t.StructType, path: tuple[str, ...] = ()) -> list[Change]:
    """What to do to the table so that it holds as much of `wanted` as it can.

    Names that differ only in case are one column to Spark and to most that read the table: the first one stays.
    """
    found: list[Change] = []
    have = {field.name.lower(): field for field in table.fields}
    for field in wanted.fields:
        before = have.get(field.name.lower())
        if before is None:
            have[field.name.lower()] = field
            found.append(AddColumn((*path, field.name), _nullable(field.dataType)))
        elif before.name == field.name:
            found.extend(_inside(before.dataType, field.dataType, (*path, field.name)))
    return found


def _inside(before: t.DataType, wanted: t.DataType, path: tuple[str, ...]) -> list[Change]:
    match before, wanted:
        case t.StructType(), t.StructType():
            return changes(before, wanted, path)
        case t.ArrayType(), t.ArrayType():
            return _inside(before.elementType, wanted.elementType, (*path, "element"))
        case t.MapType(), t.MapType():
            return _inside(before.valueType, wanted.valueType, (*path, "value"))
        case _ if widens(before, wanted):
            return [WidenColumn(path, wanted)]
    return []


def conflicts(table: t.StructType, wanted: t.StructType, path: tuple[str, ...] = ()) -> list[str]:
    """The fields of `wanted` that the table has under another type, and can neither hold nor be widened to."""
    have = {field.name: field.dataType for field in table.fields}
    found = []
    for field in wanted.fields:
        if field.name in have:
            found.extend(_clash(have[field.name], field.dataType, (*path, field.name)))
    return found


def _clash(before: t.DataType, wanted: t.DataType, path: tuple[str, ...]) -> list[str]:
    match before, wanted:
        case t.StructType(), t.StructType():
            return conflicts(before, wanted, path)
        case t.ArrayType(), t.ArrayType():
            return _clash(before.elementType, wanted.elementType, (*path, "element"))
        case t.MapType(), t.MapType():
            return _clash(before.valueType, wanted.valueType, (*path, "value"))
    wanted = _nullable(wanted)
    if before == wanted or widens(before, wanted) or widens(wanted, before):
        return []
    return [f"{'.'.join(path)} is {before.simpleString().upper()} there and {wanted.simpleString().upper()} here"]


def widens(before: t.DataType, wanted: t.DataType) -> bool:
    match before, wanted:
        case (t.IntegerType(), t.LongType()) | (t.FloatType(), t.DoubleType()):
            return True
        case t.DecimalType(), t.DecimalType():
            return before.scale == wanted.scale and wanted.precision > before.precision
    return False


def after(table: t.StructType, done: list[Change]) -> t.StructType:
    """The table's columns once the changes are made."""
    for change in done:
        table = _changed(table, change.path, change)
    return table


def _changed(table: t.StructType, path: tuple[str, ...], change: Change) -> t.StructType:
    name, rest = path[0], path[1:]
    if not rest and isinstance(change, AddColumn):
        return t.StructType([*table.fields, t.StructField(name, change.kind)])
    fields = [
        t.StructField(each.name, _descend(each.dataType, rest, change) if each.name == name else each.dataType)
        for each in table.fields
    ]
    return t.StructType(fields)


def _descend(kind: t.DataType, path: tuple[str, ...], change: Change) -> t.DataType:
    if not path:
        return change.kind
    match kind:
        case t.StructType():
            return _changed(kind, path, change)
        case t.ArrayType():
            return t.ArrayType(_descend(kind.elementType, path[1:], change))
        case t.MapType():
            return t.MapType(kind.keyType, _descend(kind.valueType, path[1:], change))
    raise AssertionError(f"no way down {path} in {kind}")


def _nullable(kind: t.DataType) -> t.DataType:
    """Everything may be absent: an added column is null in all rows before it."""
    match kind:
        case t.StructType():
            first = {each.name.lower(): each for each in reversed(kind.fields)}  # as in `changes`, one of each name
            kept = [each for each in kind.fields if first[each.name.lower()] is each]
            return t.StructType([t.StructField(each.name, _nullable(each.dataType)) for each in kept])
        case t.ArrayType():
            return t.ArrayType(_nullable(kind.elementType))
        case t.MapType():
            return t.MapType(kind.keyType, _nullable(kind.valueType))
        case t.ByteType() | t.ShortType():
            return t.IntegerType()  # Iceberg has no smaller ones
    return kind
