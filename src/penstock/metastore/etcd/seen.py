"""The highest revision ever seen, kept across restarts: an etcd that is behind it has lost what brokers have acted on.

Only answers that etcd gives by consensus count as evidence against it: a watch may be served by a member that lags.
Kept in the data folder, written at most every few seconds, since what it must notice is an etcd restored from a backup.
"""

import asyncio
import os
import threading
from pathlib import Path

import structlog

from penstock.metastore.port import NO_REVISION, Revision, StoreBehind

FILE_NAME = "penstock-etcd-revision"
WRITE_INTERVAL_S = 5.0

RESTORE = (
    "etcd was restored from an older copy, or is another one. Stop every broker and restore etcd so that its revision"
    " goes on above that (etcdutl snapshot restore --bump-revision ... --mark-compacted), as docs/operate/etcd.md says;"
    f" to give up what the older copy does not hold, remove {FILE_NAME} from every broker's first data folder"
)

_log = structlog.get_logger(__name__)


def refuse_if_behind(*, seen: Revision, present: Revision) -> None:
    """Raises StoreBehind, in words that say what to do."""
    if present < seen:
        raise StoreBehind(f"etcd is at revision {present}, and this broker has seen {seen}: {RESTORE}")


class SeenRevision:
    """`highest` may be read before a call and given to `refuse_if_behind` with the answer's revision."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE_NAME if folder is not None else None
        self.highest = self._read()
        self._written = self.highest
        self._writing = threading.Lock()

    def note(self, revision: Revision) -> None:
        self.highest = max(self.highest, revision)

    async def keep(self) -> None:
        """Runs for as long as the store is open."""
        while True:
            await asyncio.sleep(WRITE_INTERVAL_S)
            await asyncio.to_thread(self.write)

    def write(self) -> None:
        """Whole or not at all, and not at all on a full disk: an older value does little harm.

        In threads, one at a time: the last write, when the store closes, may come while one of `keep` is under way.
        """
        with self._writing:
            highest = self.highest
            if self._path is None or highest == self._written:
                return
            draft = self._path.with_suffix(".new")
            try:
                with draft.open("w") as file:
                    file.write(f"{highest}\n")
                    file.flush()
                    os.fsync(file.fileno())
                draft.rename(self._path)
            except OSError as error:
                _log.warning(
                    "the highest etcd revision seen could not be kept", path=str(self._path), reason=str(error)
                )
            else:
                self._written = highest

    def _read(self) -> Revision:
        if self._path is None or not self._path.exists():
            return NO_REVISION
        text = self._path.read_text().strip()
        if not text.isdecimal():
            raise StoreBehind(f"{self._path} should hold a revision and holds {text[:20]!r}: {RESTORE}")
        return Revision(int(text))
