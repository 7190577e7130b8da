"""What one machine's disk keeps: what processes have written, and what a loss of power would leave of it.

The rules are those that ext4 (data=ordered) and XFS share:

- Names (files made, renamed, removed) and cuts of files are written to one journal, in order. A crash leaves a prefix
  of it, at least up to what somebody has fsynced.
- Bytes that were not fsynced may be there or not, page by page, in any order; a page may be torn between sectors. A
  file may have grown by less than was written, and a page that is missing within it reads as zeros.
- A file that has grown on disk proves that the journal before that write is there as well.
- What was written after a cut that the journal has lost went to blocks of its own, but for the block of the cut itself.

A killed process loses nothing: its writes are in the page cache, which is the machine's.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

SECTOR: Final = 512
BLOCK: Final = 4096


class PowerLost(BaseException):
    """The machine stops in the middle of a system call."""


class Write(NamedTuple):
    number: int
    position: int
    data: bytes


class Cut(NamedTuple):
    """Cut, or made longer, to a size."""

    number: int
    size: int


class File:
    def __init__(self, durable: bytes = b"") -> None:
        self.durable = bytearray(durable)
        self.pending: list[Write | Cut] = []
        """Since the last fsync."""
        self.size = len(durable)
        self.journalled = 0
        """The last entry of the journal that is about it."""

    def settle(self) -> None:
        content = self.durable
        for change in self.pending:
            if isinstance(change, Cut):
                _resize(content, change.size)
            else:
                _write(content, change.position, change.data)
        self.pending = []

    def after_crash(self, dice: random.Random, *, journal: int) -> bytes:
        """Of the journal so many entries are there."""
        if not self.pending:
            return bytes(self.durable)
        chance = _Chance(dice, self.pending, journal)
        content, size, writable = bytearray(self.durable), len(self.durable), 1 << 62
        for change in self.pending:
            if isinstance(change, Cut):
                if change.number <= journal:
                    _resize(content, change.size)
                    size = change.size
                    continue
                block_end = -(-change.size // BLOCK) * BLOCK
                writable = min(writable, block_end)
                if dice.random() < 0.3 and change.size < size:  # the rest of its block is cleared before the journal is
                    _write(content, change.size, bytes(min(block_end, size) - change.size))
                continue
            for position in _sectors(change):
                sector = position // SECTOR
                if position >= writable or (change.number > journal and position >= size):
                    continue
                if change.number <= chance.version_of(sector):
                    end = (sector + 1) * SECTOR
                    _write(content, position, change.data[position - change.position : end - change.position])
            end = change.position + len(change.data)
            if writable == 1 << 62 and change.number <= chance.grown_by:
                size = max(size, end)
        if size > len(self.durable) and dice.random() < 0.3:
            size = dice.randint(len(self.durable), size)
        _resize(content, size)
        return bytes(content)


class _Chance:
    """Which version of each page was written, and by which writes the file has grown."""

    def __init__(self, dice: random.Random, pending: list[Write | Cut], journal: int) -> None:
        self._dice = dice
        self._numbers = [0, *(change.number for change in pending)]
        self._kind = dice.choice(("none", "all", "all", "prefix", "prefix", "pages", "sectors"))
        self._upto = dice.choice(self._numbers)
        self._pages: dict[int, int] = {}
        grown = {"none": 0, "all": journal, "prefix": self._upto}.get(self._kind, dice.choice(self._numbers))
        self.grown_by = min(grown, journal)

    def version_of(self, sector: int) -> int:
        match self._kind:
            case "none":
                return 0
            case "all":
                return self._numbers[-1]
            case "prefix":
                return self._upto
            case "pages":
                sector //= BLOCK // SECTOR
        if sector not in self._pages:
            latest = self._numbers[-1]
            self._pages[sector] = latest if self._dice.random() < 0.5 else self._dice.choice(self._numbers)
        return self._pages[sector]


class Folder:
    def __init__(self) -> None:
        self.names: dict[str, Node] = {}
        self.durable: dict[str, Node] = {}
        self.journalled = 0


Node = File | Folder


class Entry(NamedTuple):
    """Of the journal: a name in a folder stands for something, or for nothing any more; both halves of a rename."""

    number: int
    names: tuple[tuple[Folder, str, Node | None], ...]


class Disk:
    """The files below one real folder, which has what processes see."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.prefix = str(path) + "/"
        self.before_change: Callable[[str, str], None] = lambda _call, _path: None
        """Told of each system call that changes something; may raise what it fails with."""
        self.root = Folder()
        self._journal: list[Entry] = []
        self._number = 0
        self._forced = 0
        """Entries that a crash cannot take back."""
        self._find(path, self.root)

    def _find(self, path: Path, folder: Folder) -> None:
        """What is there has been there for long."""
        for each in sorted(path.iterdir()):
            node: Node
            if each.is_dir():
                node = Folder()
                self._find(each, node)
            else:
                node = File(each.read_bytes())
            folder.names[each.name] = folder.durable[each.name] = node

    # What system calls do --------------------------------------------------------------------------------------------

    def node(self, path: str) -> Node:
        node: Node = self.root
        for name in path[len(self.prefix) :].split("/"):
            if name:
                assert isinstance(node, Folder), path
                node = node.names[name]
        return node

    def _place(self, path: str) -> tuple[Folder, str]:
        parent, _, name = path.rpartition("/")
        folder = self.node(parent) if len(parent) >= len(self.prefix) else self.root
        assert isinstance(folder, Folder)
        return folder, name

    def made(self, path: str, node: Node) -> None:
        self._enter((*self._place(path), node))

    def removed(self, path: str) -> None:
        self._enter((*self._place(path), None))

    def renamed(self, path: str, to: str) -> None:
        folder, name = self._place(path)
        self._enter((folder, name, None), (*self._place(to), folder.names[name]))

    def _enter(self, *names: tuple[Folder, str, Node | None]) -> None:
        self._number += 1
        for folder, name, node in names:
            folder.journalled = self._number
            if node is None:
                folder.names.pop(name).journalled = self._number
            else:
                folder.names[name] = node
                node.journalled = self._number
        self._journal.append(Entry(self._number, names))

    def wrote(self, file: File, position: int, data: bytes) -> None:
        if data:
            self._number += 1
            file.pending.append(Write(self._number, position, data))
            file.size = max(file.size, position + len(data))

    def cut(self, file: File, size: int) -> None:
        if size != file.size:
            self._number += 1
            file.pending.append(Cut(self._number, size))
            file.size, file.journalled = size, self._number

    def synced(self, node: Node) -> None:
        upto = node.journalled
        if isinstance(node, File):
            if len(node.durable) != node.size:
                upto = self._number
            node.settle()
        self._forced = max(self._forced, upto)
        while self._journal and self._journal[0].number <= self._forced:
            for folder, name, what in self._journal.pop(0).names:
                _enter(folder.durable, name, what)

    # What is left of it ----------------------------------------------------------------------------------------------

    def crash_image(self, dice: random.Random, to: Path) -> None:
        """Write what a loss of power might leave now into an empty folder."""
        journal = dice.choice((self._forced, self._number, dice.randint(self._forced, self._number)))
        names: dict[Folder, dict[str, Node]] = {}
        for entry in self._journal:
            if entry.number <= journal:
                for folder, name, what in entry.names:
                    _enter(names.setdefault(folder, dict(folder.durable)), name, what)
        self._write_image(self.root, names, dice, journal, to)

    def _write_image(
        self, folder: Folder, names: dict[Folder, dict[str, Node]], dice: random.Random, journal: int, to: Path
    ) -> None:
        for name, node in sorted(names.get(folder, folder.durable).items()):
            if isinstance(node, Folder):
                (to / name).mkdir()
                self._write_image(node, names, dice, journal, to / name)
            else:
                (to / name).write_bytes(node.after_crash(dice, journal=journal))


def _enter(names: dict[str, Node], name: str, node: Node | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def _write(content: bytearray, position: int, data: bytes) -> None:
    if position > len(content):
        content.extend(bytes(position - len(content)))
    content[position : position + len(data)] = data


def _resize(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


def _sectors(write: Write) -> list[int]:
    """Where the pieces of a write begin, one in each sector."""
    end = write.position + len(write.data)
    return [write.position, *range((write.position // SECTOR + 1) * SECTOR, end, SECTOR)]
