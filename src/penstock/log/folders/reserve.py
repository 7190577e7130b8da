"""A little space set aside in a data folder, so that a full disk can be cleared by retention.

Before retention removes a file, the new log start must be written down, which needs room itself. The reserve is given
up for that, and taken again once there is space.
"""

import errno
import os
from pathlib import Path
from typing import Final

from penstock.log.file_pool import private_descriptor
from penstock.log.health import WANTS

RESERVE_FILE: Final = ".penstock-reserve"
RESERVE_BYTES: Final = 1 << 20


def keep_reserve(folder: Path) -> None:
    """Hold the space, if it is not held and can be had."""
    path = folder / RESERVE_FILE
    try:
        if path.exists() and path.stat().st_size == RESERVE_BYTES:
            return
        with private_descriptor(str(path), os.O_RDWR | os.O_CREAT) as fd:
            os.posix_fallocate(fd, 0, RESERVE_BYTES)
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno not in (*WANTS, errno.EOPNOTSUPP, errno.EINVAL):
            raise


def give_up_reserve(folder: Path) -> bool:
    """Free the space; whether there was any."""
    try:
        (folder / RESERVE_FILE).unlink()
    except FileNotFoundError:
        return False
    return True
