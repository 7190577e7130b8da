"""Imports that a broker process is spared (see `stand_ins`). Import this module first; it has no other use."""

from importlib.util import find_spec

import penstock.broker.lean_library  # noqa: F401 - before anything else
from penstock.stand_ins import instead, later, without

# asyncio takes TLS along, and hashlib OpenSSL's hashes beside Python's own: 4.6 MB and a thirtieth of the start. No
# listener has TLS, and of hashes a broker needs SHA-256 and BLAKE2, which some distributions leave to OpenSSL alone.
# Nor does it turn what other programs print into text, which asyncio's subprocess knows the locale's names for.
with without({"ssl": None, "asyncio.sslproto": later("asyncio.sslproto"), "locale": later("locale")}):
    import asyncio  # noqa: F401
if find_spec("_sha2") or find_spec("_sha256"):
    with without({"_hashlib": None}):
        import hashlib  # noqa: F401
        import hmac  # noqa: F401

# shutil brings what archives are packed with; a broker makes none.
with without({"bz2": None, "lzma": None}):
    import shutil  # noqa: F401

# structlog's tracebacks use rich wherever it is installed: a third of the start, for pictures in a log file. It also
# imports all of pickle for the error that says that a logger has none, and what joins it to other ways of logging.
with without(
    {
        "rich": None,
        "pickle": instead("pickle", PicklingError=TypeError),
        "structlog.stdlib": later("structlog.stdlib"),
        "structlog.threadlocal": later("structlog.threadlocal"),
    }
):
    import structlog  # noqa: F401

# msgspec prefers typing_extensions, which says the same as typing from Python 3.11 on, and makes a type of its own for
# everything that a JSON schema can say: half a megabyte. It knows decimal numbers by their type: nearly as much, and no
# value of a broker's is one (msgspec would refuse to write it).
with without(
    {
        "typing_extensions": None,
        "msgspec.inspect": later("msgspec.inspect"),
        "decimal": later("decimal", Decimal=type("Decimal", (), {})),
    }
):
    import msgspec  # noqa: F401

# crc32c asks the installed packages for its own version, which imports e-mail and zip files (a tenth of the start and
# 3 MB), and has a command line of its own.
with without(
    {
        "importlib.metadata": instead("importlib.metadata", version=lambda _package: ""),
        "crc32c._cli": instead("crc32c._cli", main=None),
    }
):
    import crc32c  # noqa: F401
