"""Bugs planted into the log: what a start would find wrong if one promise to the disk were not kept.

Each stands in for a function of `penstock.log` while a story is told; the code itself has no switch for it, which would
cost on the way of every append.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final
from unittest import mock

from penstock.log import LogFolder, cut_notes, flushing, recovery
from penstock.log.epochs import LeaderEpochs
from penstock.log.segments import scan

Plant = Callable[[], AbstractContextManager[Any]]

NO_BUG: Final[Plant] = nullcontext


def _nothing(*_: Any, **__: Any) -> None:
    pass


def _instead(where: Any, name: str, what: Callable[..., Any] = _nothing) -> Plant:
    return partial(mock.patch.object, where, name, what)


LOG_BUGS: dict[str, Plant] = {
    "recovery-point-before-the-data": _instead(flushing, "sync_data"),
    "cut-before-the-disk-is-told": _instead(cut_notes.CutNotes, "settle"),
    "epochs-not-written-by-a-flush": _instead(LeaderEpochs, "write"),
    "torn-tail-taken-for-whole": _instead(recovery, "walk", partial(scan.walk, check_crc=False)),
    "later-segments-kept-after-a-torn-one": _instead(recovery._Opening, "_meets", lambda *_: True),
    "begins-anew-before-it-is-noted": _instead(LogFolder, "start_rises"),
}
