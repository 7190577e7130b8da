"""Files with secrets: for their owner alone, whole or not at all."""

import os
from pathlib import Path


def write_private(path: Path, text: str, *, replace: bool = True) -> None:
    """FileExistsError where there is one and it may not be replaced."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        if replace:
            beside.replace(path)
        else:
            os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)
