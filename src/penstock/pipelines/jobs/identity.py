"""What a record is known by, and what it holds: pure expressions over the columns of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import Column


def check(matching: str, *kinds: str) -> None:
    """`header:NAME` and `field:NAME` have a name, the others none."""
    kind = matching.partition(":")[0]
    if kind not in kinds or (kind in ("header", "field")) != bool(matching.partition(":")[2]):
        shown = [f"{each}:NAME" if each in ("header", "field") else each for each in kinds]
        raise PipelineProblem(f"a record is known by {', '.join(shown)}, not {matching!r}")


def digest(schema: t.StructType) -> Column:
    """SHA-256 over key, value and headers, each with its length before it, so that no two contents look alike."""
    if "value" not in schema.names:
        return fn.lit(None).cast("string")
    parts = [_measured(_hex("key")), _measured(_hex("value"))]
    if "headers" in schema.names:
        pairs = fn.transform("headers", lambda each: fn.concat(
            _measured(fn.hex(fn.encode(each["key"], "UTF-8"))), _measured(fn.hex(each["value"]))))  # fmt: skip
        parts.append(fn.coalesce(fn.array_join(pairs, ""), fn.lit("")))
    return fn.sha2(fn.concat(*parts), 256)


def _hex(name: str) -> Column:
    return fn.hex(fn.col(name))


def _measured(text: Column) -> Column:
    return fn.coalesce(fn.concat(fn.length(text).cast("string"), fn.lit(":"), text), fn.lit("-"))


def identity(matching: str, held: Column) -> Column:
    """Null where the record does not have it. `held` is its digest."""
    kind, _, name = matching.partition(":")
    match kind:
        case "offset":
            return fn.concat_ws(":", fn.col("partition"), fn.col("offset"))
        case "content":
            return held
        case "key":
            return _hex("key")
        case "header":
            found = fn.filter("headers", lambda each: each["key"] == name)
            return fn.hex(fn.try_element_at(found, fn.lit(1))["value"])
        case _:
            return fn.get_json_object(fn.col("value").cast("string"), f"$.{name}")
