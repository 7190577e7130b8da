"""Imports that a process is spared: what a library imports along with itself, and only other uses of it need.

Each takes a program a part of its start and some memory for good. So it is out of sight while the library that asks for
it is imported, and can be imported by anybody afterwards.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


@contextmanager
def without(stand_ins: Mapping[str, ModuleType | None]) -> Iterator[None]:
    """What is named is not there (None makes its import fail), or is a stand-in. What is loaded already stays."""
    ours = {name: module for name, module in stand_ins.items() if name not in sys.modules}
    sys.modules.update(ours)  # type: ignore[arg-type] # None is what the import system looks for
    try:
        yield
    finally:
        for name, module in ours.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def instead(name: str, **contents: object) -> ModuleType:
    """A stand-in that has nothing but these."""
    module = ModuleType(name)
    vars(module).update(contents)
    return module


def later(name: str, **contents: object) -> ModuleType:
    """A stand-in that imports the module itself once anything but these is asked for."""
    module = instead(name, **contents)

    def find(what: str) -> object:
        if what.startswith("__"):
            raise AttributeError(what)  # the import system's questions are no use of it
        if sys.modules.get(name) is module:
            del sys.modules[name]
        return getattr(import_module(name), what)

    vars(module)["__getattr__"] = find
    return module
