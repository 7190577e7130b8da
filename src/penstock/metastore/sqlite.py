"""The embedded store's file: one SQLite database, written by one thread, durable when `write` returns.

journal_mode=WAL with synchronous=FULL: a commit is on disk before it is answered, and a process killed at any moment
leaves either all of a transaction or none of it. locking_mode=EXCLUSIVE keeps a second process out.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from penstock.metastore.port import NO_REVISION, Changes, KeyValue, LeaseId, Revision, Unavailable, Written

SCHEMA_VERSION = 1
APPLICATION_ID = 0x50454E53  # "PENS", so that `file` and a curious reader can tell whose database this is

_TABLES = """
CREATE TABLE items (
    key TEXT PRIMARY KEY, value BLOB NOT NULL,
    create_revision INTEGER NOT NULL, mod_revision INTEGER NOT NULL, version INTEGER NOT NULL, lease INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE leases (id INTEGER PRIMARY KEY, ttl_ms INTEGER NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO facts VALUES ('revision', 0);
"""


class SchemaTooNew(Unavailable):
    """The file was written by a newer Penstock: start that version, or restore the folder from before the upgrade."""


class NoRoom(Unavailable):
    """The disk is full: nothing was written, and the same write may succeed later."""


class Contents(NamedTuple):
    revision: Revision
    items: list[KeyValue]
    leases: list[tuple[LeaseId, int]]


class Database:
    """Blocking, and used by one thread only: the one that calls `open`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def open(self) -> Contents:
        try:
            self._connection = sqlite3.connect(self._path, isolation_level=None, timeout=0)
            self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._refuse_newer_schema()
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._make_tables()
            return self._read()
        except sqlite3.Error as error:
            self.close()
            raise Unavailable(self._in_words(error)) from error
        except Unavailable:
            self.close()
            raise

    def write(
        self, changes: Sequence[Changes], *, granted: Sequence[tuple[LeaseId, int]], ended: Sequence[LeaseId]
    ) -> None:
        """All of it in one transaction; on any error nothing of it."""
        assert self._connection is not None
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for change in changes:
                self._write_one(change)
            self._connection.executemany("INSERT INTO leases VALUES (?, ?)", granted)
            self._connection.executemany("DELETE FROM leases WHERE id = ?", [(lease,) for lease in ended])
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):  # on a failing disk this fails too; reading again will tell
                    self._connection.execute("ROLLBACK")
            kind = NoRoom if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL else Unavailable
            raise kind(self._in_words(error)) from error

    def reread(self) -> Contents:
        """What is really there, after a write that may or may not have happened."""
        try:
            return self._read()
        except sqlite3.Error as error:
            raise Unavailable(self._in_words(error)) from error

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _write_one(self, changes: Changes) -> None:
        assert self._connection is not None
        for event in changes.events:
            if isinstance(event, Written):
                self._connection.execute(
                    "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        event.item.key,
                        event.item.value,
                        event.item.create_revision,
                        event.item.mod_revision,
                        event.item.version,
                        event.item.lease,
                    ),
                )
            else:
                self._connection.execute("DELETE FROM items WHERE key = ?", (event.key,))
        self._connection.execute("UPDATE facts SET number = ? WHERE name = 'revision'", (changes.revision,))

    def _refuse_newer_schema(self) -> None:
        version = self._pragma("user_version")
        if version > SCHEMA_VERSION:
            raise SchemaTooNew(
                f"{self._path} has schema version {version}, this Penstock knows up to {SCHEMA_VERSION}: start the"
                " newer version that wrote it, or restore the data folder from before the upgrade"
            )
        if version > 0 and self._pragma("application_id") != APPLICATION_ID:
            raise Unavailable(f"{self._path} is an SQLite file, but not Penstock's")

    def _make_tables(self) -> None:
        assert self._connection is not None
        if self._pragma("user_version") == 0:
            # One transaction, so that a kill in the middle leaves an empty file rather than half a schema.
            self._connection.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id={APPLICATION_ID};"
                f" PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
            )

    def _read(self) -> Contents:
        assert self._connection is not None
        (number,) = self._connection.execute("SELECT number FROM facts WHERE name = 'revision'").fetchone()
        rows = self._connection.execute(
            "SELECT key, value, create_revision, mod_revision, version, lease FROM items ORDER BY key"
        )
        items = [KeyValue(*row) for row in rows]
        leases = [
            (LeaseId(lease), ttl_ms) for lease, ttl_ms in self._connection.execute("SELECT id, ttl_ms FROM leases")
        ]
        return Contents(Revision(number or NO_REVISION), items, leases)

    def _pragma(self, name: str) -> int:
        assert self._connection is not None
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _in_words(self, error: sqlite3.Error) -> str:
        if "locked" in str(error):
            return f"{self._path} is in use by another process: each broker needs a data folder of its own"
        return f"{self._path}: {error}"
