"""What a broker process does not load at its start, and that all of it can be loaded later."""

import hashlib
import hmac
import json
import subprocess
import sys
from typing import Any

import pytest

SPARED = ("rich", "email", "importlib.metadata", "argparse", "typing_extensions", "h11", "re2", "cramjam", "grpc",
          "confluent_kafka", "pyarrow", "pyspark", "ssl", "sqlite3", "pickle", "lzma", "difflib",
          "msgspec.inspect", "ast", "tokenize", "ipaddress", "platform", "locale", "gettext", "decimal",
          "asyncio.sslproto", "structlog.stdlib", "structlog.threadlocal")  # fmt: skip

START = """
import json, sys
import penstock.broker.lean
import penstock.cli.serving, penstock.admin.program
"""


def in_a_process(code: str) -> Any:
    """What the code leaves in `told`, after the imports of a broker's start."""
    done = subprocess.run(
        [sys.executable, "-c", f"{START}\n{code}\nprint(json.dumps(told))"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_start_imports_nothing_that_only_other_programs_need() -> None:
    assert in_a_process(f"told = [name for name in {SPARED} if name in sys.modules]") == []


@pytest.mark.parametrize(
    "name",
    [
        "importlib.metadata",
        "typing_extensions",
        "argparse",
        "h11",
        "re2",
        "cramjam",
        "ssl",
        "pickle",
        "sqlite3",
        "ast",
        "tokenize",
        "ipaddress",
        "platform",
        "locale",
        "gettext",
        "decimal",
        "asyncio.sslproto",
        "structlog.stdlib",
        "structlog.threadlocal",
    ],
)
def test_what_was_spared_can_be_imported_afterwards(name: str) -> None:
    assert in_a_process(f"import {name}\ntold = {name}.__spec__ is not None")


def test_grpc_brings_no_package_for_one_name_that_python_has() -> None:
    code = "import penstock.metastore.etcd.transport as transport\n"
    assert in_a_process(
        f"{code}told = [transport.grpc.aio.Channel.__module__, 'typing_extensions' in sys.modules]"
    ) == [
        "grpc.aio._base_channel",
        False,
    ]


def test_no_message_is_read_or_written_before_a_client_asks() -> None:
    assert in_a_process("told = [name for name in sys.modules if name.startswith('penstock.wire.codecs')]") == []


def test_hashes_are_still_right() -> None:
    """Those that brokers prove themselves with, and those of group patterns and compaction."""
    code = "import hashlib, hmac\n"
    code += "told = [hmac.new(b'key', b'123456789', hashlib.sha256).hexdigest(), hashlib.blake2b(b'1').hexdigest()]"
    proof = hmac.new(b"key", b"123456789", hashlib.sha256).hexdigest()
    assert in_a_process(code) == [proof, hashlib.blake2b(b"1").hexdigest()]


def test_a_part_of_a_library_that_was_spared_is_there_for_the_rest_of_it() -> None:
    assert in_a_process("import msgspec\ntold = msgspec.json.schema(int)") == {"type": "integer"}


def test_the_source_of_a_class_is_still_found() -> None:
    code = "import inspect, textwrap\ntold = inspect.getsource(textwrap.TextWrapper).splitlines()[0]"
    assert in_a_process(code) == "class TextWrapper:"


def test_the_rest_of_a_library_still_has_what_it_was_spared() -> None:
    code = "import subprocess, urllib.parse, uuid\n"
    code += "read = subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True, check=True)\n"
    code += "told = [read.stdout, urllib.parse.urlsplit('http://[::1]:80').hostname, uuid.uuid1().version]"
    assert in_a_process(code) == ["1\n", "::1", 1]


def test_an_error_still_shows_the_line_it_came_from() -> None:
    code = "import traceback, textwrap\n"
    code += "try:\n    textwrap.wrap(None)\nexcept Exception as error:\n    told = traceback.format_exception(error)"
    assert any("return w.wrap(text)" in line for line in in_a_process(code))


def test_checksums_are_still_right() -> None:
    assert in_a_process("import crc32c\ntold = crc32c.crc32c(b'123456789')") == 0xE3069283


def test_a_library_that_is_loaded_already_is_left_as_it_is() -> None:
    code = "import json, sys, email.message, importlib.metadata, penstock.broker.lean; "
    code += "print(json.dumps(importlib.metadata.version('msgspec')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
