"""Imports that a broker process is spared. Import this module first; it has no other use.

Some libraries import, along with themselves, what only other uses of them need. Each of these takes a broker a good
part of its start and some memory for good, so it is out of sight while the library that asks for it is imported, and
can be imported by anybody afterwards.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


@contextmanager
def _without(stand_ins: Mapping[str, ModuleType | None]) -> Iterator[None]:
    """What is named is not there (None makes its import fail), or is a stand-in. What is loaded already stays."""
    ours = {name: module for name, module in stand_ins.items() if name not in sys.modules}
    sys.modules.update(ours)  # type: ignore[arg-type] # None is what the import system looks for
    try:
        yield
    finally:
        for name in ours:
            sys.modules.pop(name, None)


def _module(name: str, **contents: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(contents)
    return module


def _later(name: str) -> ModuleType:
    """A stand-in that imports the module itself once something in it is asked for."""
    module = ModuleType(name)

    def find(what: str) -> object:
        if what.startswith("__"):
            raise AttributeError(what)  # the import system's questions are no use of it
        if sys.modules.get(name) is module:
            del sys.modules[name]
        return getattr(import_module(name), what)

    vars(module)["__getattr__"] = find
    return module


# asyncio takes TLS along, and hashlib OpenSSL's hashes beside Python's own: 4.5 MB and a thirtieth of the start. No
# listener has TLS, and of hashes a broker needs SHA-256 and BLAKE2, which some distributions leave to OpenSSL alone.
with _without({"ssl": None}):
    import asyncio  # noqa: F401
if find_spec("_sha2") or find_spec("_sha256"):
    with _without({"_hashlib": None}):
        import hashlib  # noqa: F401
        import hmac  # noqa: F401

# shutil brings what archives are packed with; a broker makes none.
with _without({"bz2": None, "lzma": None}):
    import shutil  # noqa: F401

# structlog's tracebacks use rich wherever it is installed: a third of the start, for pictures in a log file. It also
# imports all of pickle for the error that says that a logger has none.
with _without({"rich": None, "pickle": _module("pickle", PicklingError=TypeError)}):
    import structlog  # noqa: F401

# msgspec prefers typing_extensions, which says the same as typing from Python 3.11 on, and makes a type of its own for
# everything that a JSON schema can say: half a megabyte.
with _without({"typing_extensions": None, "msgspec.inspect": _later("msgspec.inspect")}):
    import msgspec  # noqa: F401

# crc32c asks the installed packages for its own version, which imports e-mail and zip files (a tenth of the start and
# 3 MB), and has a command line of its own.
with _without(
    {
        "importlib.metadata": _module("importlib.metadata", version=lambda _package: ""),
        "crc32c._cli": _module("crc32c._cli", main=None),
    }
):
    import crc32c  # noqa: F401
