"""Where the schema of an id is found: a schema registry, or a folder of files named for their ids.

Instances travel to the executors with the function that uses them, so they hold only what pickles.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

ANSWER_WITHIN_S = 10.0
TRIES = 5


class SchemaUnknown(LookupError):
    """No schema has this id: the record is bad, others need not be."""


class SchemasUnreachable(OSError):
    """The registry does not answer: no record may be called bad for it."""


class Schemas(Protocol):
    def schema(self, schema_id: int) -> Any:
        """The Avro schema as parsed JSON."""


@dataclass
class SchemaFolder:
    """`<id>.avsc` in a folder that every executor can read."""

    folder: str

    def schema(self, schema_id: int) -> Any:
        path = Path(self.folder) / f"{schema_id}.avsc"
        try:
            return json.loads(path.read_text())
        except FileNotFoundError:
            raise SchemaUnknown(f"schema {schema_id} is not in the schema folder") from None


@dataclass
class KnownSchemas:
    """Asked for beforehand: a schema, or why there is none."""

    known: dict[int, Any]

    @staticmethod
    def of(schemas: Schemas, ids: Iterable[int]) -> KnownSchemas:
        known: dict[int, Any] = {}
        for schema_id in ids:
            try:
                known[schema_id] = schemas.schema(schema_id)
            except SchemaUnknown as unknown:
                known[schema_id] = unknown
        return KnownSchemas(known)

    def schema(self, schema_id: int) -> Any:
        found = self.known[schema_id]
        if isinstance(found, SchemaUnknown):
            raise found
        return found


@dataclass
class SchemaRegistry:
    """Any registry with Confluent's API: GET <url>/schemas/ids/<id>."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)

    def schema(self, schema_id: int) -> Any:
        address = f"{self.url.rstrip('/')}/schemas/ids/{schema_id}"
        for attempt in range(TRIES):
            try:
                with urllib.request.urlopen(
                    urllib.request.Request(address, headers=self.headers), timeout=ANSWER_WITHIN_S
                ) as answer:
                    return json.loads(json.load(answer)["schema"])
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    raise SchemaUnknown(f"schema {schema_id} is not in the registry") from None
                problem: Exception = error
            except OSError as error:
                problem = error
            time.sleep(min(2**attempt / 4, 2))
        raise SchemasUnreachable(f"schema registry {self.url}: {problem}")
