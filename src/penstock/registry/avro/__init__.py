"""Avro: reading a schema, writing it as Java does, and who can read whose data. Pure."""

from penstock.registry.avro.compatibility import Problem, problems
from penstock.registry.avro.parsing import parse
from penstock.registry.avro.schema import InvalidSchema, Schema
from penstock.registry.avro.writing import written

__all__ = ["InvalidSchema", "Problem", "Schema", "parse", "problems", "written"]
